// What the lists of entitlements and store transactions share: the cursor, the filters, and what somebody holds.
import { prepared, sql, type Sql, type SqlConnection } from '../platform/database/sql.ts';
import { type InputRules, isUuid } from '../platform/inputRules.ts';

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

/** The text is compared whole. Null and absent give null. */
export function readFilter(rules: InputRules, path: string, value: string | null | undefined): string | null {
  if (value === '') rules.refuse(path, 'must not be empty');
  return value == null ? null : rules.text(path, value, 256);
}

/** Whose rows are asked for: schema.graphql, "Owners". */
export interface Somebody {
  applicationId: string;
  externalId: string | null;
  /** The key of the device. */
  heldBy: string | null;
}

/** The owner of a line by an account token holds it also while no upload has named that owner: the store is the witness. */
const isOwner = (
  externalId: string,
) => sql`account_token IS NOT NULL AND lower(owner_external_id) = lower(${externalId})
  AND (${isUuid(externalId)} OR owner_external_id = ${externalId})`;

/** The ids of the lines that an external id holds, some twice. */
export const linesOfExternalId = (applicationId: string, externalId: string): Sql => sql`
  SELECT line_id FROM store_holders WHERE application_id = ${applicationId} AND external_id = ${externalId}
  UNION ALL SELECT line_id FROM store_entitlements
  WHERE application_id = ${applicationId} AND ${isOwner(externalId)}`;

export const linesOfDevice = (applicationId: string, heldBy: string): Sql => sql`
  SELECT line_id FROM store_holders WHERE held_by = ${heldBy} AND application_id = ${applicationId}`;

/** The ids of the transactions that were uploaded with an external id, some twice. */
export const uploadsWith = (applicationId: string, externalId: string): Sql => sql`
  SELECT transaction_id FROM store_claims WHERE application_id = ${applicationId} AND external_id = ${externalId}`;

/** Whether an external id holds the line of a row, asked for each row. */
export const isLineOfExternalId = (row: Sql, applicationId: string, externalId: string): Sql => sql`
  (EXISTS (SELECT FROM store_holders x
    WHERE x.line_id = ${row}.line_id AND x.application_id = ${applicationId} AND x.external_id = ${externalId})
  OR EXISTS (SELECT FROM store_entitlements x
    WHERE x.line_id = ${row}.line_id AND x.application_id = ${applicationId} AND ${isOwner(externalId)}))`;

/** So many rows are read and sorted in less than half a second. */
const few = 20_000;

/**
 * Whether somebody holds and has uploaded so little that it is read before the rest of the application. An app that calls
 * all its users `unknown` has nearly everything with one external id: then a page is found sooner in the order of the list.
 */
export async function hasFew(
  connection: SqlConnection,
  { applicationId, externalId, heldBy }: Somebody,
): Promise<boolean> {
  const counts: number[] = [];
  if (externalId !== null) {
    const statement = prepared('count_of_external_id')`/* purchases: countOfExternalId */
      SELECT count(*)::int AS count FROM (SELECT FROM (${linesOfExternalId(applicationId, externalId)}
        UNION ALL ${uploadsWith(applicationId, externalId)}) held LIMIT ${few + 1}) counted`;
    counts.push((await connection.query<{ count: number }>(statement)).rows[0]!.count);
  } else if (heldBy !== null) {
    const uploads = prepared('count_uploads_of_device')`/* purchases: countUploadsOfDevice */
      SELECT count(*)::int AS count FROM (
        SELECT FROM store_transaction_devices WHERE device_key = ${heldBy} LIMIT ${few + 1}) counted`;
    const lines = prepared('count_lines_of_device')`/* purchases: countLinesOfDevice */
      SELECT count(*)::int AS count FROM (SELECT FROM (${linesOfDevice(applicationId, heldBy)}) held LIMIT ${few + 1}) counted`;
    for (const statement of [uploads, lines]) {
      counts.push((await connection.query<{ count: number }>(statement)).rows[0]!.count);
    }
  }
  return counts.every((count) => count <= few);
}
