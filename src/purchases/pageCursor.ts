// The cursor of a list that is newest first: the place of a page's last row in the order of the list (pure).
import type { InputRules } from '../platform/inputRules.ts';

/** Cursors of one list are refused by the other: their orders differ. */
interface CursorOf {
  list: 'entitlements' | 'storeTransactions';
  /** How many instants come before the id in the order. */
  instants: number;
}

/** Rows of the page to come are after it in the order. */
export interface Place {
  /** For PostgreSQL, with microseconds, which a Date does not hold. */
  instants: string[];
  id: string;
}

const longest = 2_048;

/** The first instant after the year 9999, in microseconds. */
const tooLate = 253_402_300_800_000_000n;

export interface Page<Node> {
  nodes: Node[];
  endCursor: string | null;
  hasMore: boolean;
}

/** `rows` has one row more than `limit` where there are more. */
export function pageOf<Row extends { position: string }>(of: CursorOf, rows: Row[], limit: number): Page<Row> {
  const nodes = rows.slice(0, limit);
  const last = nodes.at(-1);
  return { nodes, endCursor: last ? writeCursor(of, last.position) : null, hasMore: rows.length > limit };
}

/** `position`: the instants as PostgreSQL gives them (microseconds since 1970, or `infinity`) and the id, with spaces between. */
export function writeCursor({ list }: CursorOf, position: string): string {
  return Buffer.from(`${list[0]!} ${position}`).toString('base64url');
}

/** Null for the first page. A cursor that `writeCursor` has not written for this list is refused. */
export function readCursor(rules: InputRules, of: CursorOf, after: string | null | undefined): Place | null {
  if (after == null) return null;
  const place = after.length > longest ? null : placeOf(of, after);
  if (!place) rules.refuse('after', `must be an \`endCursor\` of \`${of.list}\``);
  return place;
}

function placeOf({ list, instants }: CursorOf, after: string): Place | null {
  const bytes = Buffer.from(after, 'base64url');
  const text = bytes.toString();
  if (bytes.toString('base64url') !== after || !Buffer.from(text).equals(bytes)) return null;
  const [letter, ...parts] = text.split(' ');
  const id = parts.slice(instants).join(' ');
  const times = parts.slice(0, instants).map(instantOf);
  if (letter !== list[0] || id === '' || id.includes('\0')) return null;
  return times.every((time) => time !== null) ? { instants: times, id } : null;
}

function instantOf(micros: string): string | null {
  if (micros === 'infinity') return micros;
  if (!/^(0|[1-9]\d{0,17})$/.test(micros) || BigInt(micros) >= tooLate) return null;
  const padded = micros.padStart(4, '0');
  const millis = new Date(Number(padded.slice(0, -3))).toISOString();
  return millis.replace('Z', `${padded.slice(-3)}Z`);
}
