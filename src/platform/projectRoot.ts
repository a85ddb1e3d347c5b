// Finds the project's own files (both contracts, migrations) from src/ under test and from dist/ in the build.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const projectRoot = findUp(import.meta.dirname);

export function projectFile(...segments: string[]): string {
  return path.join(projectRoot, ...segments);
}

function findUp(folder: string): string {
  if (existsSync(path.join(folder, 'package.json'))) return folder;
  const parent = path.dirname(folder);
  if (parent === folder) throw new Error('no package.json above the running code');
  return findUp(parent);
}

// The version of the running service, from package.json.

export const { version } = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')) as { version: string };
