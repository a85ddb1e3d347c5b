// The plain records between the wire and the database: the rows of one upload.
import type { WrittenObject } from '../platform/json/propertyJson.ts';
import type { CampaignOutcome } from './systemEvents.ts';

/** Times are Unix seconds with a fraction. JSON is text, so that integers keep their digits. */
export interface Upload {
  device: DeviceRow;
  /** Unique by id. */
  sessions: SessionRow[];
  /** Unique by session and id. */
  events: EventRow[];
  /** Null where the upload was not signed. */
  nonce: NonceRow | null;
}

/** About the characters of JSON that an upload brings: they bound a batch and the queue in memory, beside their numbers of uploads. */
export function uploadSize({ device, events }: Pick<Upload, 'device' | 'events'>): number {
  let size = device.userProperties.length;
  for (const { params } of events) size += params.length;
  return size;
}

export interface DeviceRow {
  key: string;
  applicationId: string;
  id: string;
  userId: string | null;
  properties: string;
  userProperties: string;
  /** The user properties that this upload replaces or removes: null is all of them. */
  droppedProperties: string[] | null;
  stateAt: number;
}

export interface SessionRow {
  deviceKey: string;
  applicationId: string;
  id: string;
  globalNumber: number;
  versionNumber: number;
  startedAt: number;
  finishedAt: number | null;
}

export interface EventRow {
  deviceKey: string;
  applicationId: string;
  sessionId: string;
  id: string;
  system: boolean;
  name: string;
  occurredAt: number;
  /** Of two values of one name the last holds. */
  params: WrittenObject;
  outcomes: readonly CampaignOutcome[];
  /** The user property that this event removes once it is stored, unless its upload sets it. */
  removesProperty: string | null;
}

export interface NonceRow {
  applicationId: string;
  nonce: string;
  bodyHash: Buffer;
}

export type UploadOutcome = 'stored' | 'repeated' | 'nonce_reused';

/** Session ids are unique only within a device, event ids only within a session. NUL joins them: no id may hold it. */
export function sessionKey(row: { deviceKey: string }, sessionId: string): string {
  return `${row.deviceKey}\0${sessionId}`;
}

export function eventKey(row: EventRow): string {
  return `${row.deviceKey}\0${row.sessionId}\0${row.id}`;
}

/**
 * A session that comes again keeps the earliest start, the smallest numbers and the latest end, whatever the order of arrival.
 * `upsertSessions` does the same in SQL. Field by field: a new field does not compile before it is merged here.
 */
export function mergeSessions(one: SessionRow, other: SessionRow): SessionRow {
  const { deviceKey, id, applicationId } = one;
  return {
    deviceKey,
    id,
    applicationId,
    globalNumber: Math.min(one.globalNumber, other.globalNumber),
    versionNumber: Math.min(one.versionNumber, other.versionNumber),
    startedAt: Math.min(one.startedAt, other.startedAt),
    finishedAt:
      one.finishedAt === null || other.finishedAt === null
        ? (one.finishedAt ?? other.finishedAt)
        : Math.max(one.finishedAt, other.finishedAt),
  };
}

/** The same order on every process: batches that lock rows in it never wait for each other in a circle. */
export function inKeyOrder<Row>(rows: ReadonlyMap<string, Row>): Row[] {
  return [...rows.keys()].sort().map((key) => rows.get(key)!);
}
