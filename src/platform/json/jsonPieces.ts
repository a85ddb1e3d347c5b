// Writes a long value as JSON in pieces, so that other work can run between two of them.
import { RawJson, stringifyWithRawJson } from './rawJson.ts';

/** Writing so much takes less than a millisecond. A single text is one piece, however long it is. */
const pieceCharacters = 48 * 1_024;

/** Joined, they are the text of `stringifyWithRawJson`. The value consists of lists, plain objects and leaves. */
export function* jsonPieces(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value instanceof RawJson || lengthOf(value) <= pieceCharacters) {
    yield stringifyWithRawJson(value);
  } else if (Array.isArray(value)) yield* listPieces(value);
  else yield* objectPieces(value as Record<string, unknown>);
}

/** Roughly, in characters: measuring the bytes took longer than writing them. Counting stops soon after `most`. */
function lengthOf(value: unknown, most = pieceCharacters): number {
  if (typeof value === 'string') return value.length + 3;
  if (typeof value !== 'object' || value === null) return 8;
  if (value instanceof RawJson) return value.text.length;
  let length = 2;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && length <= most; at++) length += lengthOf(value[at], most - length);
    return length;
  }
  for (const name in value) {
    length += name.length + 4 + lengthOf((value as Record<string, unknown>)[name], most - length);
    if (length > most) break;
  }
  return length;
}

function* listPieces(list: readonly unknown[]): Generator<string> {
  let before = '[';
  for (const group of groupsOf(list)) {
    yield before;
    before = ',';
    if (group.length === 1) yield* jsonPieces(group[0] ?? null);
    else yield stringifyWithRawJson(group).slice(1, -1);
  }
  yield ']';
}

/** Neighbours that fill one piece together. */
function* groupsOf(list: readonly unknown[]): Generator<unknown[]> {
  let group: unknown[] = [];
  let length = 0;
  for (const item of list) {
    const added = lengthOf(item);
    if (group.length > 0 && length + added > pieceCharacters) {
      yield group;
      [group, length] = [[], 0];
    }
    group.push(item);
    length += added;
  }
  if (group.length > 0) yield group;
}

function* objectPieces(object: Record<string, unknown>): Generator<string> {
  let before = '{';
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    before = ',';
    yield* jsonPieces(value);
  }
  yield before === '{' ? '{}' : '}';
}
