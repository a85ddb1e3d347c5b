// Builds the programs in dist/ that tests start when a source is newer than the last build, so that no test runs an old program.
import { execFile } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectFile, projectRoot } from '../../src/platform/projectRoot.ts';

const sources = ['src', 'generated', 'test/tools', 'test/bench/ingest', 'tsconfig.build.json', 'tsconfig.tools.json'];
const stamp = projectFile('dist', '.builtForTests');

export async function buildPrograms(): Promise<void> {
  if (Math.max(...sources.map(newestMillis)) < millisOf(stamp)) return;
  process.stdout.write('building what the tests start\n');
  const begun = new Date();
  await promisify(execFile)('npm', ['run', '-s', 'build:tools'], { cwd: projectRoot });
  writeFileSync(stamp, begun.toISOString());
}

function newestMillis(source: string): number {
  const file = projectFile(source);
  if (!statSync(file).isDirectory()) return millisOf(file);
  const names = readdirSync(file, { recursive: true, encoding: 'utf8' });
  return Math.max(...names.map((name) => millisOf(path.join(file, name))));
}

const millisOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
