// What the image holds, in a folder of its own: the build, and the packages that `npm ci --omit=dev --legacy-peer-deps` installs.
import { cpSync, linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { projectFile } from '../../src/platform/projectRoot.ts';

interface LockedPackage {
  dev?: boolean;
  /** Of development, and an optional peer of a package of production. */
  devOptional?: boolean;
  optional?: boolean;
}

/** Links and copies into `folder`. Packages are linked: a copy of 12,000 files takes long. */
export function installProduction(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const lock = JSON.parse(readFileSync(projectFile('package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  for (const [place, { dev, devOptional, optional }] of Object.entries(lock.packages)) {
    if (place === '' || dev === true || devOptional === true) continue;
    // The lockfile names the native parts of every platform, and npm installs this platform's.
    if (optional === true && !exists(projectFile(place))) continue;
    linkPackage(projectFile(place), path.join(folder, place));
  }
  for (const name of [
    'package.json',
    'openapi.yaml',
    'schema.graphql',
    'prisma',
    'dist/src',
    'dist/generated',
    'dist/dashboard',
  ])
    cpSync(projectFile(name), path.join(folder, name), { recursive: true });
}

const exists = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false }) !== undefined;

/** Without the packages below it, which have entries of their own. */
function linkPackage(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue;
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) linkPackage(source, target);
    else linkSync(source, target);
  }
}

/** Bytes on the disk, as `du` counts them. */
export function diskBytes(file: string): number {
  const { blocks } = lstatSync(file);
  const entries = lstatSync(file).isDirectory() ? readdirSync(file) : [];
  return entries.reduce((sum, name) => sum + diskBytes(path.join(file, name)), blocks * 512);
}
