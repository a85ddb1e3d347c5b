// Edge 1: walks a request of openapi.yaml through the order of checks of contract 1.2 and hands it to its operation.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Deps } from '../deps.ts';
import { classifyDatabaseError } from '../platform/database/database.ts';
import { AppError, isAppError, unavailable } from '../platform/errors.ts';
import { requestIdOf } from '../platform/httpServer/requestId.ts';
import { answerSoon } from '../platform/httpServer/soonAnswers.ts';
import type { VerifiedSignature } from '../platform/signature.ts';
import type { KeyedApplication } from '../workspace/applicationsStore.ts';
import { answerTo, send, sendWritten, written, type Answer } from './answers.ts';
import { clientHolds } from './conditional.ts';
import type { BodyContract, PublicContract, PublicOperation } from './contract.ts';
import type { PublicRequest } from './operationTypes.ts';
import { operations } from './operations.ts';
import { readBody, type ReadBody } from './readBody.ts';
import { ClientGone, readBytes, readEncoding, type ContentEncoding, type SentBytes } from './requestBody.ts';
import { otherRequests, uploadsOfSessions, type RequestKind } from './requestKinds.ts';
import { requestPath } from './requestPath.ts';

/** Answers false, and has done nothing, where no route matches. */
export type PublicApi = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Ready-made, and sent before a byte of the body is read: under overload most answers are this one. */
const overloaded = written(answerTo(unavailable()));

interface Call {
  operation: PublicOperation;
  kind: RequestKind;
  request: IncomingMessage;
  response: ServerResponse;
  deps: Deps;
}

export function createPublicApi(contract: PublicContract, deps: Deps): PublicApi {
  const uploads = uploadsOfSessions(deps);
  const others = otherRequests();
  return (request, response) => {
    const operation = contract.match(request.method!, requestPath(request.url!));
    if (!operation) return false;
    const kind = operation.id === 'reportSessions' ? uploads : others;
    const call = { operation, kind, request, response, deps };
    if (kind.isFull()) turnAway(call);
    else answerCall(call);
    return true;
  };
}

/**
 * At five times the load there are four of these for each upload that is taken: whatever they do is missed there. Answered
 * when all that has come is read: 37 in place of 53 µs, and 50 in place of 106 with a body of 57 kB
 * (docs/decisions/upload-reading-tried.md).
 */
function turnAway({ operation, kind, request, response, deps }: Call): void {
  kind.noteOutcome('unavailable');
  deps.metrics.answered({ operation: operation.id, status: overloaded.status, millis: 0 });
  request.resume();
  answerSoon(() => request.socket.destroyed || sendWritten(response, overloaded));
}

function answerCall(call: Call): void {
  const { operation, kind, request, response, deps } = call;
  const begun = performance.now();
  response.on('finish', () => {
    const millis = performance.now() - begun;
    deps.metrics.answered({ operation: operation.id, status: response.statusCode, millis });
  });
  handle(call)
    .then((success) => {
      send(response, answerWith(success, request));
      kind.noteOutcome('accepted');
    })
    .catch((error: unknown) => refuse(error, call));
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

async function handle(call: Call): Promise<Success> {
  const { operation, kind, request, response, deps } = call;
  const arrivedAt = deps.now();
  const { bytes, leave } = operation.body ? await readBytes(request, response, kind.bodies.budget) : noBody;
  const awaitedUntil = performance.now() + deps.answerWithinMillis;
  const work = answer({ call, bytes, arrivedAt, awaitedUntil });
  // Not when the client has read its answer, which it may put off for ever.
  return answerInTime(work, deps.answerWithinMillis).finally(leave);
}

const noBody: SentBytes = { bytes: Buffer.alloc(0), leave: () => undefined };

interface Arrival {
  call: Call;
  bytes: Buffer;
  arrivedAt: Date;
  /** Of `performance.now()`: after it the answer has been given already. */
  awaitedUntil: number;
}

/** Contract 1.2 from the key on, line by line; each step throws the answer of its check. */
async function answer(arrival: Arrival): Promise<Success> {
  const { call, bytes, arrivedAt } = arrival;
  const { operation, kind, request, deps } = call;
  const application = await findApplication(request, deps);
  const encoding = operation.body ? readEncoding(request) : 'identity';
  const { key } = application;
  const signature = kind.verify({ headers: request.headers, body: bytes, key, arrivedAt });
  deps.keyUses.note({ publicKey: key.public, at: arrivedAt });
  return kind.withPlace(() => carryOut({ arrival, application, encoding, signature }));
}

interface Authenticated {
  arrival: Arrival;
  application: KeyedApplication;
  encoding: ContentEncoding;
  signature: VerifiedSignature | null;
}

async function carryOut(authenticated: Authenticated): Promise<Success> {
  const { arrival, application, signature } = authenticated;
  const { operation, request, deps } = arrival.call;
  const body = operation.body
    ? await readCounted(operation.body, authenticated)
    : { value: undefined, bytes: noBody.bytes };
  const { query, fields } = operation.readQuery(request.url!);
  if (fields.length > 0) throw new AppError('validation_failed', { fields });
  const handler = operations[operation.id] as (request: PublicRequest<never>, deps: Deps) => Promise<Success>;
  const { arrivedAt } = arrival;
  return handler(
    { body: body.value as never, bytes: body.bytes, query: query as never, application, signature, arrivedAt },
    deps,
  );
}

/** The events of an upload count as received as soon as they can be read, and as rejected where it is then refused. */
async function readCounted(contract: BodyContract, authenticated: Authenticated): Promise<ReadBody> {
  const { arrival, encoding } = authenticated;
  const { bytes, awaitedUntil } = arrival;
  const { kind, deps } = arrival.call;
  const { inTurn } = kind.bodies;
  const assertAwaited = (): void => {
    if (performance.now() > awaitedUntil) throw unavailable();
  };
  let events = 0;
  const onValue = (value: unknown): void => void (events = kind.receiveEvents(value));
  try {
    return await readBody(contract, { bytes, encoding, inTurn, assertAwaited, onValue });
  } catch (error) {
    deps.metrics.eventsRejected(events);
    if (!isAppError(error, 'unavailable')) await refuseReusedNonce(authenticated);
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

/**
 * A reused nonce shows when the upload is written, in the same transaction. For an upload refused earlier, one extra
 * read here checks its nonce, so that 403 still comes before 422.
 */
async function refuseReusedNonce({ arrival, application, signature }: Authenticated): Promise<void> {
  if (!signature) return;
  const { nonce, bodyHash } = signature;
  const { arrivedAt, call } = arrival;
  if (!(await call.deps.nonceTaken({ applicationId: application.id, nonce, bodyHash }))) return;
  const serverTime = Math.floor(arrivedAt.getTime() / 1000);
  throw new AppError('not_authenticated', { reason: 'nonce_reused', serverTime });
}

/** Bad input is never 5xx, our own failure is never 4xx: what is not a refusal is ours, and logged once with its cause. */
function refuse(error: unknown, { operation, kind, response, deps }: Call): void {
  const refusal = error instanceof AppError ? error : outage(error);
  kind.noteOutcome(outcomeOf(error, refusal));
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
