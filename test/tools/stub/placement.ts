// Finds the room of src/ for a new operation: the room of the operations with the same subject.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { StubError } from './skeleton.ts';

const noFeatures = ['http', 'graphql', 'ops', 'platform', 'jobs', 'demo'];

/** `siblings` are operations with the same subject. Throws when there are none, or when they are in several rooms. */
export function roomFor(root: string, siblings: string[], given: string | undefined): string {
  const rooms = features(root);
  if (given !== undefined) {
    if (noFeatures.includes(given) || !/^[a-z][a-zA-Z]*$/.test(given))
      throw new StubError(`src/${given} is no room for an operation: ${rooms.join(', ')}, or a new one`);
    return given;
  }
  const found = rooms.filter((room) => siblings.some((name) => existsSync(handlerFile(root, room, name))));
  if (found.length === 1) return found[0]!;
  throw new StubError(`its room is not clear: name one after the operation (${rooms.join(', ')}, or a new one)`);
}

/** Throws when a file exists, so that no work is overwritten and no operation has two files. */
export function assertNew(root: string, name: string): void {
  const taken = features(root).find((room) => existsSync(handlerFile(root, room, name)));
  if (taken) throw new StubError(`src/${taken}/${name}.ts is there already`);
  if (existsSync(path.join(root, testFile(name)))) throw new StubError(`${testFile(name)} is there already`);
}

export const testFile = (name: string): string => `test/integration/${name}.test.ts`;
export const sourceFile = (room: string, name: string): string => `src/${room}/${name}.ts`;

const handlerFile = (root: string, room: string, name: string) => path.join(root, sourceFile(room, name));

function features(root: string): string[] {
  const folders = readdirSync(path.join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => name).filter((name) => !noFeatures.includes(name));
}
