// Cursors of the lists: the sorted columns of the last node, as opaque text, and the page that a statement's rows make (pure).

/** Whole numbers are texts of digits, because microseconds pass 2^53. */
export type Cursor = readonly string[];

/** What the parts of a cursor are, in the order of its list's columns. */
export type CursorShape = readonly ('text' | 'number' | 'count' | Exactly)[];

/** A list and its order: a cursor of another order would silently skip nodes. */
interface Exactly {
  is: string;
}

/** Two ids of 256 characters, each escaped in JSON, are 4,100 characters. */
const longest = 8_192;

export function writeCursor(parts: Cursor): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Null for a text that is no cursor of this shape. */
export function readCursor(text: string, shape: CursorShape): Cursor | null {
  if (text.length > longest || !/^[\w-]+$/.test(text)) return null;
  try {
    const read: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (!Array.isArray(read) || read.length !== shape.length) return null;
    return read.every((part, index) => isPart(part, shape[index])) ? (read as Cursor) : null;
  } catch {
    return null;
  }
}

/** The statement binds a number as bigint, and a count as OFFSET, which must not be negative. */
function isPart(part: unknown, kind: CursorShape[number] | undefined): boolean {
  if (typeof part !== 'string') return false;
  if (typeof kind === 'object') return part === kind.is;
  if (kind === 'count') return /^\d{1,9}$/.test(part);
  return kind === 'number' ? /^-?\d{1,18}$/.test(part) : part.isWellFormed() && !part.includes('\0');
}

export interface PageOf<Row> {
  nodes: Row[];
  endCursor: string | null;
  hasMore: boolean;
}

/** The statement has asked for one row more than the page has. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (last: Row, index: number) => Cursor,
): PageOf<Row> {
  const nodes = rows.slice(0, limit);
  const last = nodes.at(-1);
  return {
    nodes,
    endCursor: last === undefined ? null : writeCursor(cursorOf(last, nodes.length - 1)),
    hasMore: rows.length > limit,
  };
}
