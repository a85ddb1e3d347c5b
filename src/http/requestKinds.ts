// The kinds of requests of openapi.yaml: uploads of sessions, which are signed, counted and refused under load, the store's notifications, reads, and other writes.
import type { IncomingHttpHeaders } from 'node:http';
import type { Deps } from '../deps.ts';
import { isAppError, unavailable } from '../platform/errors.ts';
import { verifySignature, type VerifiedSignature } from '../platform/signature.ts';
import { createLimiter, type InTurn } from '../platform/turns.ts';
import type { KeyedApplication } from '../workspace/applicationsStore.ts';
import { BodyBudget } from './bodyBudget.ts';

export interface RequestKind {
  bodies: BodyShare;
  /** Whether to refuse it before a byte of its body is read. */
  isFull(headers: IncomingHttpHeaders): boolean;
  /** The turns of operations that take a connection of the pool. Absent: the operation has turns of its own. */
  inTurn?: InTurn;
  /** Null for a request without a signature where none is required. Throws `not_authenticated`. */
  verify(sent: SentRequest): VerifiedSignature | null;
  noteOutcome(outcome: string): void;
}

export interface SentRequest {
  headers: IncomingHttpHeaders;
  body: Buffer;
  key: KeyedApplication['key'];
  arrivedAt: Date;
}

/** Shared by bodies of one kind, so that bodies of the other kind cannot use it up. */
export interface BodyShare {
  /** Room in memory. */
  budget: BodyBudget;
  /**
   * One body after the other, in turns of applications: a body that takes long keeps its turn from before its inflation
   * until it has been read. Four at once left others four such bodies to wait for at each of their own steps.
   */
  inTurn: InTurn;
}

/**
 * `room` in bytes, as sent. Sixty clients that sent 12 kB of attribution each, which inflate to 8 MiB, left an upload 0.3 s
 * in the median; with one room for both, 49 of 50 uploads were refused.
 */
export function createBodyShare(room: number): BodyShare {
  const inTurn = createLimiter({ atOnce: 1, longestQueue: 200, refusal: unavailable });
  return { budget: new BodyBudget(room), inTurn };
}

/** Room for 8 of the largest. Four times as much took the process 110 MiB more at five times its load. */
const ofUploads = 16 * 1024 * 1024;
/** Attribution and transactions are small: large ones, four of the largest, take no room from uploads. */
const ofOthers = 8 * 1024 * 1024;
/**
 * Complete uploads without a response: 3.5 MiB are some 70 uploads of 200 events. The longer an upload waits, the more
 * garbage collections its bytes outlive, and the fewer uploads the service takes at five times the load
 * (docs/decisions/upload-reading.md). A few large uploads are no load.
 */
const isCrowded = ({ whole }: BodyBudget): boolean => whole.bodies >= 64 && whole.bytes >= 3.5 * 1024 * 1024;

export function uploadsOfSessions(deps: Deps): RequestKind {
  const { uploads, metrics } = deps;
  const bodies = createBodyShare(ofUploads);
  return {
    bodies,
    isFull: (headers) => uploads.isFull(applicationOf(headers, deps), isCrowded(bodies.budget)),
    verify: (sent) => verifyUpload(sent, deps),
    noteOutcome: (outcome) => metrics.uploadAnswered(outcome),
  };
}

/** Of a key that nobody has used for a while, and of one that is none: together they wait as one application. */
const unknown = '';

function applicationOf({ 'x-api-key': key }: IncomingHttpHeaders, { applications }: Deps): string {
  return typeof key === 'string' ? (applications.peek(key) ?? unknown) : unknown;
}

/** Anybody can send notifications: they take no room from an SDK's requests. 16 of the largest. */
const ofStore = 4 * 1024 * 1024;

/** Less than half of the smallest usual pool: uploads and jobs keep the rest. */
const ofDatabase = { atOnce: 3, longestQueue: 200, patienceMillis: 3_000, refusal: () => unavailable() };

export const storeRequests = (): RequestKind => withoutSignature(ofStore);
export const readingRequests = (): RequestKind => withoutSignature(ofOthers);
export const writingRequests = (): RequestKind => ({
  ...withoutSignature(ofOthers),
  inTurn: createLimiter(ofDatabase),
});

function withoutSignature(room: number): RequestKind {
  return {
    bodies: createBodyShare(room),
    isFull: () => false,
    verify: () => null,
    noteOutcome: () => undefined,
  };
}

function verifyUpload({ headers, body, key, arrivedAt }: SentRequest, deps: Deps): VerifiedSignature | null {
  const noteClock = (timestamp: number): void => deps.metrics.clockSkew(timestamp - arrivedAt.getTime() / 1000);
  try {
    const signature = verifySignature({ headers, body, key, required: deps.signatureRequired, now: arrivedAt });
    if (signature) noteClock(signature.timestamp);
    return signature;
  } catch (error) {
    const isOff = isAppError(error, 'not_authenticated') && error.details.reason === 'timestamp_out_of_window';
    if (isOff) noteClock(Number(headers['x-timestamp']));
    throw error;
  }
}
