// Keeps the cases that the fuzzers found, one file each: written when a property breaks, replayed at every run.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { projectFile } from '../../../src/platform/projectRoot.ts';

export type Kind = 'public' | 'admin';

const folder = projectFile('test', 'faults', 'fuzz', 'regressions');

/** Returns the file's name. */
export function saveRegression(kind: Kind, found: object): string {
  const text = `${JSON.stringify(found, null, 2)}\n`;
  const name = `${kind}-${createHash('sha256').update(text).digest('hex').slice(0, 12)}.json`;
  writeFileSync(`${folder}/${name}`, text);
  return `test/faults/fuzz/regressions/${name}`;
}

export function readRegressions<Case>(kind: Kind): [name: string, found: Case][] {
  const names = readdirSync(folder).filter((name) => name.startsWith(`${kind}-`) && name.endsWith('.json'));
  return names.sort().map((name) => [name, JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as Case]);
}
