// Writes a long value as JSON in pieces, so that other work can run between two of them.
import { jsonBytes } from './jsonBytes.ts';
import { RawJson, stringifyWithRawJson } from './rawJson.ts';

/** Writing so much takes less than a millisecond. A single text is one piece, however long it is. */
const pieceBytes = 64 * 1_024;

/** Joined, they are the text of `stringifyWithRawJson`. The value consists of lists, plain objects and leaves. */
export function* jsonPieces(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value instanceof RawJson || bytesOf(value) <= pieceBytes) {
    yield stringifyWithRawJson(value);
  } else if (Array.isArray(value)) yield* listPieces(value);
  else yield* objectPieces(value as Record<string, unknown>);
}

const bytesOf = (value: unknown): number => jsonBytes(value, pieceBytes);

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
  let bytes = 0;
  for (const item of list) {
    const added = bytesOf(item);
    if (group.length > 0 && bytes + added > pieceBytes) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(item);
    bytes += added;
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
