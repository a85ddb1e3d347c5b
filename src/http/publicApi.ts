// Edge 1: walks a request of openapi.yaml through the order of checks of contract 1.2 and hands it to its operation.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Deps } from '../deps.ts';
import { classifyDatabaseError } from '../platform/database/database.ts';
import { AppError, isAppError, unavailable } from '../platform/errors.ts';
import { requestIdOf } from '../platform/httpServer/requestId.ts';
import type { InTurn } from '../platform/turns.ts';
import { countEvents } from '../sessions/eventCount.ts';
import type { KeyedApplication } from '../workspace/applicationsStore.ts';
import { answerTo, send, sendWritten, written, type Answer } from './answers.ts';
import type { BodyBudget } from './bodyBudget.ts';
import { createBodyLane, type BodyLane } from './bodyLane.ts';
import { clientHolds } from './conditional.ts';
import type { BodyContract, PublicContract, PublicOperation } from './contract.ts';
import { operations } from './operations.ts';
import type { PublicRequest } from './operationTypes.ts';
import { readBody, type ReadBody } from './readBody.ts';
import { requestPath } from './requestPath.ts';
import { ClientGone, readBytes, requireJson, type ContentEncoding, type SentBytes } from './requestBody.ts';
import { verifySignature, type VerifiedSignature } from './signature.ts';

/** Answers false, and has done nothing, where no route matches. */
export type PublicApi = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Room for 8 of the largest. Four times as much took the process 110 MiB more at five times its load. */
const ofUploads = { room: 16 * 1024 * 1024, inflatedAtOnce: 4 };
/** Attribution and transactions are small: large ones, four of the largest, take no room from uploads. */
const ofOthers = { room: 8 * 1024 * 1024, inflatedAtOnce: 1 };
/**
 * Of uploads that have come whole and are not answered, some 70 of 200 events. The longer an upload waits, the more
 * collections what is kept of it outlives, and the fewer are taken at five times the load (test/bench/README.md). A few
 * large ones are no load.
 */
const isCrowded = ({ whole }: BodyBudget): boolean => whole.bodies >= 64 && whole.bytes >= 3.5 * 1024 * 1024;
/** Ready-made, and sent before a byte of the body is read: under overload most answers are this one. */
const overloaded = written(answerTo(unavailable()));

export function createPublicApi(contract: PublicContract, deps: Deps): PublicApi {
  const uploads = createBodyLane(ofUploads);
  const others = createBodyLane(ofOthers);
  return (request, response) => {
    const operation = contract.match(request.method!, requestPath(request.url!));
    if (!operation) return false;
    const isUpload = operation.id === 'reportSessions';
    if (isUpload && (deps.uploads.full || isCrowded(uploads.budget))) {
      turnAway(response, deps);
      return true;
    }
    const begun = performance.now();
    response.on('finish', () => {
      const millis = performance.now() - begun;
      deps.metrics.answered({ operation: operation.id, status: response.statusCode, millis });
    });
    handle({ operation, request, response, lane: isUpload ? uploads : others, deps }).then(
      (success) => {
        if (isUpload) deps.metrics.uploadAnswered('accepted');
        send(response, answerWith(success, request));
      },
      (error: unknown) => refuse(error, { operation, response, deps }),
    );
    return true;
  };
}

/** At five times the load there are five of these for each upload that is taken: whatever they do is missed there. */
function turnAway(response: ServerResponse, { metrics }: Deps): void {
  metrics.uploadAnswered('unavailable');
  metrics.answered({ operation: 'reportSessions', status: overloaded.status, millis: 0 });
  sendWritten(response, overloaded);
}

interface Success {
  body: NonNullable<Answer['body']>;
  headers?: Record<string, string>;
}

/** A client that holds the representation already gets its headers only. */
function answerWith({ body, headers = {} }: Success, { headers: sent }: IncomingMessage): Answer {
  const held = clientHolds(sent['if-none-match'], headers['ETag']);
  return held ? { status: 304, headers } : { status: 200, body, headers };
}

interface Call {
  operation: PublicOperation;
  request: IncomingMessage;
  response: ServerResponse;
  lane: BodyLane;
  deps: Deps;
}

async function handle({ operation, request, response, lane, deps }: Call): Promise<Success> {
  const arrivedAt = deps.now();
  const { bytes, leave } = operation.body ? await readBytes(request, response, lane.budget) : noBody;
  const late = performance.now() + deps.answerWithinMillis;
  const { inTurn } = lane;
  const work = answer({ operation, request, bytes, arrivedAt, late, inTurn, deps });
  // Not when the client has read its answer, which it may put off for ever.
  return answerInTime(work, deps.answerWithinMillis).finally(leave);
}

const noBody: SentBytes = { bytes: Buffer.alloc(0), leave: () => undefined };

interface Arrival {
  operation: PublicOperation;
  request: IncomingMessage;
  bytes: Buffer;
  arrivedAt: Date;
  /** Of `performance.now()`: after it the answer has been given already. */
  late: number;
  inTurn: InTurn;
  deps: Deps;
}

/** Contract 1.2 from the key on, line by line; each step throws the answer of its check. */
async function answer(arrival: Arrival): Promise<Success> {
  const { operation, request, bytes, arrivedAt, late, inTurn, deps } = arrival;
  const application = await findApplication(request, deps);
  const encoding = operation.body ? requireJson(request) : 'identity';
  const isUpload = operation.id === 'reportSessions';
  const signature = isUpload ? verify(arrival, application) : null;
  deps.keyUses.note({ publicKey: application.key.public, at: arrivedAt });
  const work = () =>
    carryOut({ operation, request, bytes, arrivedAt, late, inTurn, deps, application, encoding, signature });
  return isUpload ? deps.uploads.withPlace(work) : work();
}

interface Authenticated extends Arrival {
  application: KeyedApplication;
  encoding: ContentEncoding;
  signature: VerifiedSignature | null;
}

async function carryOut(authenticated: Authenticated): Promise<Success> {
  const { operation, request, application, signature, arrivedAt, deps } = authenticated;
  const body = operation.body ? await readCounted(operation.body, authenticated) : { value: undefined, text: '' };
  const { query, fields } = operation.readQuery(request.url!);
  if (fields.length > 0) throw new AppError('validation_failed', { fields });
  const handler = operations[operation.id] as (request: PublicRequest<never>, deps: Deps) => Promise<Success>;
  return handler(
    { body: body.value as never, text: body.text, query: query as never, application, signature, arrivedAt },
    deps,
  );
}

/** The events of an upload count as received as soon as they can be read, and as rejected where it is then refused. */
async function readCounted(contract: BodyContract, authenticated: Authenticated): Promise<ReadBody> {
  const { operation, bytes, encoding, application, signature, late, inTurn, deps } = authenticated;
  const assertAwaited = (): void => {
    if (performance.now() > late) throw unavailable();
  };
  let events = 0;
  const onValue = (value: unknown): void => {
    if (operation.id === 'reportSessions') deps.metrics.eventsReceived((events = countEvents(value)));
  };
  try {
    return await readBody(contract, { bytes, encoding, inTurn, assertAwaited, onValue });
  } catch (error) {
    deps.metrics.eventsRejected(events);
    if (signature && !isAppError(error, 'unavailable')) await refuseReusedNonce(authenticated, application, signature);
    throw error;
  }
}

/** The work goes on after its time is over, and nobody hears of it: whatever it stores, a retry is safe. */
function answerInTime<Result>(work: Promise<Result>, millis: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(unavailable()), millis);
    const inTime =
      <Value>(settle: (value: Value) => void) =>
      (value: Value) => {
        clearTimeout(timer);
        settle(value);
      };
    work.then(inTime(resolve), inTime(reject));
  });
}

async function findApplication({ headers }: IncomingMessage, { applications }: Deps): Promise<KeyedApplication> {
  const key = headers['x-api-key'];
  const application = typeof key === 'string' ? await applications.find(key) : null;
  if (!application) throw new AppError('application_not_found', undefined);
  return application;
}

function verify({ request, bytes, arrivedAt, deps }: Arrival, { key }: KeyedApplication): VerifiedSignature | null {
  const { headers } = request;
  const noteClock = (timestamp: number): void => deps.metrics.clockSkew(timestamp - arrivedAt.getTime() / 1000);
  try {
    const signature = verifySignature({ headers, body: bytes, key, required: deps.signatureRequired, now: arrivedAt });
    if (signature) noteClock(signature.timestamp);
    return signature;
  } catch (error) {
    const late = isAppError(error, 'not_authenticated') && error.details.reason === 'timestamp_out_of_window';
    if (late) noteClock(Number(headers['x-timestamp']));
    throw error;
  }
}

/**
 * A reused nonce shows when the upload is written, in the same transaction. For an upload refused earlier, one extra
 * read here checks its nonce, so that 403 still comes before 422.
 */
async function refuseReusedNonce(
  { arrivedAt, deps }: Arrival,
  application: KeyedApplication,
  { nonce, bodyHash }: VerifiedSignature,
): Promise<void> {
  if (!(await deps.nonceTaken({ applicationId: application.id, nonce, bodyHash }))) return;
  const serverTime = Math.floor(arrivedAt.getTime() / 1000);
  throw new AppError('not_authenticated', { reason: 'nonce_reused', serverTime });
}

/** Bad input is never 5xx, our own failure is never 4xx: what is not a refusal is ours, and logged once with its cause. */
function refuse(
  error: unknown,
  { operation, response, deps }: { operation: PublicOperation; response: ServerResponse; deps: Deps },
): void {
  const refusal = error instanceof AppError ? error : outage(error);
  if (operation.id === 'reportSessions') deps.metrics.uploadAnswered(outcomeOf(error, refusal));
  if (error instanceof ClientGone) return void response.destroy();
  const facts = { operation: operation.id, requestId: requestIdOf(response.req) };
  if (!refusal) deps.log.error({ err: error, ...facts }, 'a request failed');
  else if (refusal.cause !== undefined) deps.log.warn({ err: refusal.cause, ...facts }, refusal.code);
  send(response, answerTo(refusal));
}

/** As `ingest_uploads_total` names it. */
function outcomeOf(error: unknown, refusal: AppError | null): string {
  if (error instanceof ClientGone) return 'client_gone';
  if (!refusal) return 'internal_error';
  return isAppError(refusal, 'not_authenticated') ? refusal.details.reason : refusal.code;
}

function outage(error: unknown): AppError | null {
  const failure = classifyDatabaseError(error);
  const passing = failure === 'unavailable' || failure === 'conflict';
  return passing ? unavailable(error) : null;
}
