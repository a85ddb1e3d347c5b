// Cursors of the lists: the sorted columns of the last node, as opaque text (pure).

/** Whole numbers are texts of digits, because microseconds pass 2^53. */
export type Cursor = readonly (string | null)[];

const longest = 1_024;

export function writeCursor(parts: Cursor): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Null for a text that is no cursor of this many parts. */
export function readCursor(text: string, parts: number): Cursor | null {
  if (text.length > longest || !/^[\w-]+$/.test(text)) return null;
  try {
    const read: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    const isCursor = Array.isArray(read) && read.length === parts && read.every(isPart);
    return isCursor ? (read as Cursor) : null;
  } catch {
    return null;
  }
}

function isPart(part: unknown): boolean {
  return part === null || (typeof part === 'string' && part.isWellFormed() && !part.includes('\0'));
}
