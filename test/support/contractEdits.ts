// Edits copies of a contract, and returns the differences that a comparison reports.
import { readFileSync } from 'node:fs';
import { projectFile } from '../../src/platform/projectRoot.ts';
import type { Change } from '../tools/contractDiff/change.ts';

export type Edit = [name: string, from: string | RegExp, to: string, tells: string];

/** The text of the contract after an edit. Throws when the edit changes nothing, so that no test passes for that reason. */
export function edited(file: string, [, from, to]: Edit): string {
  const before = readFileSync(projectFile(file), 'utf8');
  const after = before.replace(from, () => to);
  if (after === before) throw new Error(`${String(from)} is nowhere in ${file}`);
  return after;
}

export function told(changes: Change[]): string[] {
  return changes.map(({ at, what, breaking }) => `${breaking ? 'breaking' : 'fine'} ${at}: ${what}`);
}
