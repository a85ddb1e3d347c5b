// Edge 1: walks a request through the checks of openapi.yaml, "Order of checks", and passes it to its operation.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Deps } from '../deps.ts';
import { classifyDatabaseError } from '../platform/database/databaseErrors.ts';
import { AppError, isAppError, unavailable } from '../platform/errors.ts';
import { requestIdOf } from '../platform/httpServer/requestId.ts';
import type { InTurn } from '../platform/turns.ts';
import type { KeyedApplication } from '../workspace/applicationsStore.ts';
import { answerTo, answerWith, send, sendWritten, written, type Success } from './answers.ts';
import { lastSegment, type PublicContract, type PublicOperation } from './contract.ts';
import { answerInTime, createLateResponses, type LateResponse } from './lateResponses.ts';
import type { Authenticated, Notified, OperationId, Sent, Unread } from './operationTypes.ts';
import { operations } from './operations.ts';
import { readBody, type ReadBody } from './readBody.ts';
import { ClientGone, readBytes, readEncoding, wireLimit, type SentBytes } from './requestBody.ts';
import { noteRefusal, versionsOf, type Noted } from './refusedRequest.ts';
import {
  readingRequests,
  storeRequests,
  uploadsOfSessions,
  writingRequests,
  type RequestKind,
} from './requestKinds.ts';
import { RetryAfter } from './retryAfter.ts';
import type { ContentEncoding } from './sentForm.ts';
import { traceCall } from './tracedCall.ts';

/** False when no route matches. Nothing is done then. */
export type PublicApi = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Made once but for the wait, and sent before a byte of the body is read: under overload most responses are this. */
const overloaded = written(answerTo(unavailable()));

interface Call extends Noted {
  operation: PublicOperation;
  kind: RequestKind;
  /** Of the operation: the wait of one says nothing of the others. */
  retryAfter: RetryAfter;
  request: IncomingMessage;
  response: ServerResponse;
  deps: Deps;
  noteLate(late: LateResponse): void;
}

export function createPublicApi(contract: PublicContract, deps: Deps): PublicApi {
  const others = writingRequests();
  const noteLate = createLateResponses(deps.log);
  const waits: Partial<Record<OperationId, RetryAfter>> = {};
  const kinds: Partial<Record<OperationId, RequestKind>> = {
    reportSessions: uploadsOfSessions(deps),
    receiveStoreNotification: storeRequests(),
    getCampaigns: readingRequests(),
  };
  return (request, response) => {
    const operation = contract.match(request.method!, request.url!);
    if (!operation) return false;
    const kind = kinds[operation.id] ?? others;
    const retryAfter = (waits[operation.id] ??= new RetryAfter());
    const call = { operation, kind, retryAfter, request, response, deps, noteLate };
    if (kind.isFull(request.headers)) turnAway(call);
    else traceCall(call, answerCall);
    return true;
  };
}

/** Under a flood there are many of these, so each must be cheap. */
function turnAway({ operation, kind, retryAfter, request, response, deps }: Call): void {
  kind.noteOutcome('unavailable');
  deps.metrics.answered({ operation: operation.id, status: overloaded.status, millis: 0 });
  request.resume();
  const headers = Object.assign({}, overloaded.headers, { 'Retry-After': String(retryAfter.refuse()) });
  sendWritten(response, { ...overloaded, headers });
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
      call.retryAfter.noteTaken();
    })
    .catch((error: unknown) => refuse(error, call));
}

async function handle(call: Call): Promise<Success> {
  const { operation, kind, request, response, deps } = call;
  const arrivedAt = deps.now();
  const room = { budget: kind.bodies.budget, limit: operation.maxBytes ?? wireLimit };
  const { bytes, leave } = operation.body ? await readBytes(request, response, room) : noBody;
  const begun = performance.now();
  const awaitedUntil = begun + deps.answerWithinMillis;
  const work = answer({ call, bytes, arrivedAt, awaitedUntil });
  // The body's room is free before the client has read the response: a client may never read it.
  const onLate = (): void =>
    call.noteLate({ operation: operation.id, requestId: requestIdOf(request), millis: performance.now() - begun });
  return answerInTime(work, deps.answerWithinMillis, onLate).finally(leave);
}

const noBody: SentBytes = { bytes: Buffer.alloc(0), leave: () => undefined };

interface Arrival {
  call: Call;
  bytes: Buffer;
  arrivedAt: Date;
  /** By `performance.now()`: the client has its response before this time. */
  awaitedUntil: number;
}

/** The checks from the key on, one after the other. Each throws its refusal. */
async function answer(arrival: Arrival): Promise<Success> {
  const { call, bytes, arrivedAt } = arrival;
  const { operation, kind, request, deps } = call;
  if (operation.id === 'receiveStoreNotification') return answerStore(arrival);
  const application = await findApplication(request, deps);
  call.application = application;
  const encoding = operation.body ? readEncoding(request) : 'identity';
  const { key } = application;
  const signature = kind.verify({ headers: request.headers, body: bytes, key, arrivedAt });
  deps.keyUses.note({ publicKey: key.public, at: arrivedAt });
  const authenticated = { application, signature, arrivedAt };
  const read = (onValue: OnValue) => readSent({ arrival, authenticated, encoding, onValue });
  return carryOut(operation.id, { authenticated, read, kind, deps });
}

/** The store has no key. The path names the application, and the operation verifies the store's signature. */
async function answerStore(arrival: Arrival): Promise<Success> {
  const { request, deps } = arrival.call;
  const application = await deps.storeNotifications.find(lastSegment(request.url!));
  if (!application) throw new AppError('application_not_found', undefined);
  const notified: Notified = { application, signature: null, arrivedAt: arrival.arrivedAt };
  const encoding = readEncoding(request);
  const sent = await readSent({ arrival, authenticated: notified, encoding, onValue: () => undefined });
  return operations.receiveStoreNotification({ ...notified, ...sent }, deps);
}

/** Called with the parsed JSON, before it is checked. */
type OnValue = (value: unknown) => void;

interface Work {
  authenticated: Authenticated;
  kind: RequestKind;
  read: (onValue: OnValue) => Promise<Sent<never>>;
  deps: Deps;
}

/** An upload is read after it has a place, any other request at once. */
function carryOut(id: OperationId, { authenticated, read, kind, deps }: Work): Promise<Success> {
  const { application, signature, arrivedAt } = authenticated;
  const handler = operations[id] as (
    request: Authenticated & (Sent<never> | Unread<never>),
    deps: Deps,
  ) => Promise<Success>;
  if (id === 'reportSessions') {
    const readInPlace: Unread<never>['read'] = (place) => read((value) => place.receive(value));
    return handler({ read: readInPlace, application, signature, arrivedAt }, deps);
  }
  const nothing = (): void => undefined;
  return read(nothing).then(({ body, bytes, query }) => {
    const work = () => handler({ body, bytes, query, application, signature, arrivedAt }, deps);
    return kind.inTurn ? kind.inTurn(work, application.id) : work();
  });
}

interface Reading {
  arrival: Arrival;
  authenticated: Authenticated | Notified;
  encoding: ContentEncoding;
  onValue: OnValue;
}

async function readSent({ arrival, authenticated, encoding, onValue }: Reading): Promise<Sent<never>> {
  const { bytes, awaitedUntil, call } = arrival;
  const { operation, request, kind, deps } = call;
  const assertAwaited = (): void => {
    if (performance.now() > awaitedUntil) throw unavailable();
  };
  let body: ReadBody = { value: undefined, bytes: noBody.bytes };
  let read: unknown;
  const onRead: OnValue = (value) => onValue((read = value));
  try {
    const { maxBytes } = operation;
    const inTurn: InTurn = (work) => kind.bodies.inTurn(work, authenticated.application.id);
    const sent = { bytes, encoding, maxBytes, inTurn, assertAwaited, onValue: onRead };
    if (operation.body) body = await readBody(operation.body, sent);
  } catch (error) {
    call.versions = versionsOf(read);
    if (!isAppError(error, 'unavailable')) await refuseReusedNonce(authenticated, deps);
    throw error;
  }
  const { query, fields } = operation.readQuery(request.url!);
  if (fields.length > 0) throw new AppError('validation_failed', { fields });
  return { body: body.value as never, bytes: body.bytes, query: query as never };
}

/**
 * The transaction that writes an upload detects a reused nonce. For an upload that is refused before, one more query
 * checks its nonce, so that 403 still precedes 422.
 */
async function refuseReusedNonce(authenticated: Authenticated | Notified, deps: Deps): Promise<void> {
  const { application, signature, arrivedAt } = authenticated;
  if (!signature) return;
  const { nonce, bodyHash } = signature;
  if (!(await deps.nonceTaken({ applicationId: application.id, nonce, bodyHash }))) return;
  const serverTime = Math.floor(arrivedAt.getTime() / 1000);
  throw new AppError('not_authenticated', { reason: 'nonce_reused', serverTime });
}

async function findApplication({ headers }: IncomingMessage, { applications }: Deps): Promise<KeyedApplication> {
  const key = headers['x-api-key'];
  const application = typeof key === 'string' ? await applications.find(key) : null;
  if (!application) throw new AppError('application_not_found', undefined);
  return application;
}

/** Bad input is never 5xx, a failure of the service never 4xx: it is logged once, with its cause. */
function refuse(error: unknown, call: Call): void {
  const { operation, kind, response, deps } = call;
  const refusal = error instanceof AppError ? error : outage(error);
  kind.noteOutcome(outcomeOf(error, refusal));
  if (error instanceof ClientGone) return void response.destroy();
  const facts = { operation: operation.id, requestId: requestIdOf(response.req) };
  if (!refusal) deps.log.error({ err: error, ...facts }, 'a request failed');
  else if (refusal.cause !== undefined) deps.log.warn({ err: refusal.cause, ...facts }, refusal.code);
  // A refusal with a wait of its own says nothing of the load.
  const mustWait = isAppError(refusal, 'unavailable') && refusal.details.retryAfterSeconds === null;
  send(response, answerTo(refusal, mustWait ? call.retryAfter.refuse() : undefined));
  if (refusal) noteRefusal(refusal as AppError, call, () => findApplication(call.request, deps));
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
