// The plain records between the wire and the database: the rows of one upload.
import type { Admission } from '../quotas/quotas.ts';
import type { WrittenObject } from '../platform/json/propertyJson.ts';
import type { CampaignOutcome } from './systemEvents.ts';

/** Times are Unix seconds with a fraction. JSON is text, so that integers keep their digits. */
export interface Upload {
  device: DeviceRow;
  /** In the order of the body. A session may be there twice: the validity of its dates depends on its first arrival. */
  sessions: SessionRow[];
  /** Unique by session and id. */
  events: EventRow[];
  /** Null where the upload was not signed. */
  nonce: NonceRow | null;
  /** Signed so long before its arrival that the service may have forgotten its nonce. */
  mayBeReplay?: boolean;
  /** Only of an upload that a quota counts: the most bytes that it may add, and by whom they are counted. */
  counted?: { mostBytes: number; admission: Admission | null } | null;
}

/**
 * About the characters of JSON in an upload. They bound a batch and the queue in memory, beside their numbers of
 * uploads.
 */
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
  /** The time of the upload: `openapi.yaml, "User and device state"`. */
  stateAt: number;
  /** The upload is signed, which proves the device (openapi.yaml, "Look-up in the store"). */
  signed: boolean;
}

export interface SessionRow {
  deviceKey: string;
  applicationId: string;
  id: string;
  globalNumber: number;
  versionNumber: number;
  startedAt: number;
  /** Of the start, as it was sent. */
  utcOffsetMinutes: number;
  finishedAt: number | null;
  /** The user of the upload, and the upload's time. */
  userId: string | null;
  userAt: number;
}

export interface EventRow {
  deviceKey: string;
  applicationId: string;
  sessionId: string;
  id: string;
  /** Among the events of its session in its upload, from 0. */
  place: number;
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

export type UploadOutcome = 'stored' | 'repeated' | 'nonce_reused' | 'over_quota' | 'node_away';

/** Session ids are unique only within a device, event ids only within a session. NUL joins them: no id may hold it. */
export function sessionKey(row: { deviceKey: string }, sessionId: string): string {
  return `${row.deviceKey}\0${sessionId}`;
}

export function eventKey(row: EventRow): string {
  return `${row.deviceKey}\0${row.sessionId}\0${row.id}`;
}

/**
 * Merges a session that comes twice (openapi.yaml, "How sessions merge"). `other` arrived later, which counts only for users
 * of one time. `receivedAt` is the session's first arrival. `upsertSessions` does the same in SQL. Field by field: a new
 * field does not compile before it is merged here.
 */
export function mergeSessions(one: SessionRow, other: SessionRow, receivedAt: number): SessionRow {
  const { deviceKey, id, applicationId } = one;
  const start = earlierStart(one, other, receivedAt);
  const user = other.userAt >= one.userAt ? other : one;
  return {
    deviceKey,
    id,
    applicationId,
    globalNumber: Math.min(one.globalNumber, other.globalNumber),
    versionNumber: Math.min(one.versionNumber, other.versionNumber),
    startedAt: start.startedAt,
    utcOffsetMinutes:
      one.startedAt === other.startedAt
        ? Math.min(one.utcOffsetMinutes, other.utcOffsetMinutes)
        : start.utcOffsetMinutes,
    finishedAt: laterFinish(one.finishedAt, other.finishedAt, receivedAt),
    userId: user.userId,
    userAt: user.userAt,
  };
}

/** Seconds around a session's first arrival between which a date of the session can be true. */
export const truePast = 730 * 86_400;
export const trueFuture = 300;

function canBeTrue(date: number, receivedAt: number): boolean {
  return date >= receivedAt - truePast && date <= receivedAt + trueFuture;
}

function earlierStart(one: SessionRow, other: SessionRow, receivedAt: number): SessionRow {
  const possible = canBeTrue(one.startedAt, receivedAt);
  if (possible !== canBeTrue(other.startedAt, receivedAt)) return possible ? one : other;
  return one.startedAt <= other.startedAt ? one : other;
}

function laterFinish(one: number | null, other: number | null, receivedAt: number): number | null {
  if (one === null || other === null) return one ?? other;
  const possible = canBeTrue(one, receivedAt);
  if (possible !== canBeTrue(other, receivedAt)) return possible ? one : other;
  return Math.max(one, other);
}

/** The same order on every process: batches that lock rows in it never wait for each other in a circle. */
export function inKeyOrder<Row>(rows: ReadonlyMap<string, Row>): Row[] {
  return [...rows.keys()].sort().map((key) => rows.get(key)!);
}
