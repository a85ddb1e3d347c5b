// The two kinds of requests of contract 1: uploads of sessions, which are signed, counted and turned away under load, and all others.
import type { IncomingHttpHeaders } from 'node:http';
import type { Deps } from '../deps.ts';
import { isAppError } from '../platform/errors.ts';
import { verifySignature, type VerifiedSignature } from '../platform/signature.ts';
import { countEvents } from '../sessions/eventCount.ts';
import type { KeyedApplication } from '../workspace/applicationsStore.ts';
import type { BodyBudget } from './bodyBudget.ts';
import { createBodyShare, type BodyShare } from './bodyShare.ts';

export interface RequestKind {
  bodies: BodyShare;
  /** Whether to refuse it before a byte of its body is read. */
  isFull(): boolean;
  /** Null for what is not signed, where it need not be. Throws `not_authenticated`. */
  verify(sent: SentRequest): VerifiedSignature | null;
  /** Does what follows the signature; throws `unavailable` where too much is under way. */
  withPlace<Result>(work: () => Promise<Result>): Promise<Result>;
  /** How many events a body that could be read has. They count as received from here on. */
  receiveEvents(body: unknown): number;
  noteOutcome(outcome: string): void;
}

export interface SentRequest {
  headers: IncomingHttpHeaders;
  body: Buffer;
  key: KeyedApplication['key'];
  arrivedAt: Date;
}

/** Room for 8 of the largest. Four times as much took the process 110 MiB more at five times its load. */
const ofUploads = { room: 16 * 1024 * 1024, inflatedAtOnce: 4 };
/** Attribution and transactions are small: large ones, four of the largest, take no room from uploads. */
const ofOthers = { room: 8 * 1024 * 1024, inflatedAtOnce: 1 };
/**
 * Of uploads that have come whole and are not answered, some 70 of 200 events. The longer an upload waits, the more
 * collections what is kept of it outlives, and the fewer are taken at five times the load
 * (docs/decisions/upload-overload.md). A few large ones are no load.
 */
const isCrowded = ({ whole }: BodyBudget): boolean => whole.bodies >= 64 && whole.bytes >= 3.5 * 1024 * 1024;

export function uploadsOfSessions(deps: Deps): RequestKind {
  const { uploads, metrics } = deps;
  const bodies = createBodyShare(ofUploads);
  return {
    bodies,
    isFull: () => uploads.full || isCrowded(bodies.budget),
    verify: (sent) => verifyUpload(sent, deps),
    withPlace: (work) => uploads.withPlace(work),
    receiveEvents(body) {
      const events = countEvents(body);
      metrics.eventsReceived(events);
      return events;
    },
    noteOutcome: (outcome) => metrics.uploadAnswered(outcome),
  };
}

export function otherRequests(): RequestKind {
  return {
    bodies: createBodyShare(ofOthers),
    isFull: () => false,
    verify: () => null,
    withPlace: (work) => work(),
    receiveEvents: () => 0,
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
