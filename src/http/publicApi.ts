// Edge 1: walks a request through the checks of openapi.yaml, "Order of checks", and passes it to its operation.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from '../analytics/issueCounts.ts';
import type { Deps } from '../deps.ts';
import { createLimiter, type Limiter } from '../platform/concurrencyLimiter.ts';
import { classifyDatabaseError } from '../platform/database/databaseErrors.ts';
import { AppError, type FieldError, isAppError, unavailable } from '../platform/errors.ts';
import { requestIdOf } from '../platform/httpServer/httpServer.ts';
import { traceRequest } from '../platform/observability/tracing/tracing.ts';
import { type VerifiedSignature, verifySignature } from '../platform/signature.ts';
import type { KeyedApplication } from '../workspace/applicationDirectory.ts';
import { lastSegment, type PublicContract, type PublicOperation } from './publicContract.ts';
import {
  type Authenticated,
  type Notified,
  type OperationId,
  operations,
  type Sent,
  type Unread,
} from './publicOperations.ts';
import {
  BodyBudget,
  ClientGone,
  type ContentEncoding,
  readBody,
  type ReadBody,
  readBytes,
  readEncoding,
  type SentBytes,
  wireLimit,
} from './requestBody.ts';
import {
  errorResponse,
  respondInTime,
  RetryAfter,
  send,
  sendWritten,
  type Success,
  successResponse,
  written,
} from './responses.ts';

/** False when no route matches. Nothing is done then. */
export type PublicApi = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Made once but for the wait, and sent before a byte of the body is read: under overload most responses are this. */
const overloaded = written(errorResponse(unavailable()));

interface Call extends Noted {
  operation: PublicOperation;
  kind: RequestKind;
  /** Of the operation: the wait of one says nothing of the others. */
  retryAfter: RetryAfter;
  request: IncomingMessage;
  response: ServerResponse;
  deps: Deps;
}

export function createPublicApi(contract: PublicContract, deps: Deps): PublicApi {
  const others = writingRequests();
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
    const call = { operation, kind, retryAfter, request, response, deps };
    if (kind.isFull(request.headers)) turnAway(call);
    else traceCall(call, takeCall);
    return true;
  };
}

/** Under a flood there are many of these, so each must be cheap. */
function turnAway({ operation, kind, retryAfter, request, response, deps }: Call): void {
  kind.noteOutcome('unavailable');
  deps.metrics.responded({ operation: operation.id, status: overloaded.status, millis: 0 });
  request.resume();
  const headers = Object.assign({}, overloaded.headers, { 'Retry-After': String(retryAfter.refuse()) });
  sendWritten(response, { ...overloaded, headers });
}

function takeCall(call: Call): void {
  const { operation, kind, request, response, deps } = call;
  const begun = performance.now();
  response.on('finish', () => {
    const millis = performance.now() - begun;
    deps.metrics.responded({ operation: operation.id, status: response.statusCode, millis });
  });
  handle(call)
    .then((success) => {
      send(response, successResponse(success, request));
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
  const awaitedUntil = begun + deps.respondWithinMillis;
  const work = check({ call, bytes, arrivedAt, awaitedUntil });
  // The body's room is free before the client has read the response: a client may never read it.
  const onLate = (): void => {
    const millis = Math.round(performance.now() - begun);
    deps.log.warn({ operation: operation.id, requestId: requestIdOf(request), millis }, 'a response took too long');
  };
  return respondInTime(work, deps.respondWithinMillis, onLate).finally(leave);
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
async function check(arrival: Arrival): Promise<Success> {
  const { call, bytes, arrivedAt } = arrival;
  const { operation, kind, request, deps } = call;
  if (operation.id === 'receiveStoreNotification') return takeStoreNotification(arrival);
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
async function takeStoreNotification(arrival: Arrival): Promise<Success> {
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
    return kind.limiter ? kind.limiter(work, application.id) : work();
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
    const limiter: Limiter = (work) => kind.bodies.limiter(work, authenticated.application.id);
    const sent = { bytes, encoding, maxBytes, limiter, assertAwaited, onValue: onRead };
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
  send(response, errorResponse(refusal, mustWait ? call.retryAfter.refuse() : undefined));
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

// The kinds of requests of openapi.yaml: uploads of sessions, which are signed, counted and refused under load, the store's notifications, reads, and other writes.

export interface RequestKind {
  bodies: BodyShare;
  /** Whether to refuse it before a byte of its body is read. */
  isFull(headers: IncomingHttpHeaders): boolean;
  /** Of operations that take a connection of the pool. Absent: the operation has a limit of its own. */
  limiter?: Limiter;
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
   * One body after the other, and applications take turns. A body that takes long holds the limiter from before its
   * inflation until it has been read. Four at once left others four such bodies to wait for at each of their own steps.
   */
  limiter: Limiter;
}

/**
 * `room` in bytes, as sent. Sixty clients that sent 12 kB of attribution each, which inflate to 8 MiB, left an upload 0.3 s
 * in the median; with one room for both, 49 of 50 uploads were refused.
 */
export function createBodyShare(room: number): BodyShare {
  const limiter = createLimiter({ atOnce: 1, longestQueue: 200, refusal: unavailable });
  return { budget: new BodyBudget(room), limiter };
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
    noteOutcome: (outcome) => metrics.uploadEnded(outcome),
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
  limiter: createLimiter(ofDatabase),
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

// What a refusal says of a request, as `ingestIssues` counts it: places and rules, and never a value.

/** What a call holds for the count of its refusal. */
export interface Noted {
  operation: PublicOperation;
  deps: Deps;
  /** Once the key is known. */
  application?: KeyedApplication;
  /** Of a body that was read and refused. */
  versions?: Versions;
}

/**
 * Counts the refusal, only for a valid key. A body that is too large is refused before the service looks for its key:
 * `find` does that now.
 */
export function noteRefusal(
  refusal: AppError,
  { operation, deps, application, versions = versionsOf(undefined) }: Noted,
  find: () => Promise<KeyedApplication>,
): void {
  const faults = faultsOf(refusal);
  if (faults.length === 0) return;
  const note = ({ id: applicationId }: KeyedApplication): void =>
    deps.issues.note({ applicationId, operation: operation.id, at: deps.now(), faults, ...versions });
  if (application) note(application);
  else if (refusal.code === 'too_large' && operation.id !== 'receiveStoreNotification')
    find().then(note, () => undefined);
}

/** Empty for what is no fault of the request. */
function faultsOf(refusal: AppError): Fault[] {
  if (isAppError(refusal, 'validation_failed')) return refusal.details.fields.map(faultOf);
  if (isAppError(refusal, 'not_authenticated')) return wholeRequest(refusal, refusal.details.reason);
  if (isAppError(refusal, 'too_large')) return wholeRequest(refusal, refusal.details.unit);
  if (isAppError(refusal, 'unsupported_media_type')) return wholeRequest(refusal, 'media_type');
  return [];
}

function wholeRequest(refusal: AppError, reason: string): Fault[] {
  const { status, body } = errorResponse(refusal);
  return [{ status, reason, path: '', message: String((body as { message?: unknown }).message) }];
}

const faultOf = ({ path, message }: FieldError): Fault => ({ status: 422, reason: wordOf(message), path, message });

/** From the beginnings of the messages: of Ajv, publicContract.ts, readJson.ts and schema.ts. */
const words: [RegExp, string][] = [
  [/^is required/, 'required'],
  [/^must not be blank/, 'blank'],
  [/^must be one of|^must be equal to/, 'enum'],
  [/^must be an ISO 8601|^does not have its form/, 'format'],
  [/^must be a JSON object|^is not valid JSON|^is nested deeper/, 'json'],
  [/^must NOT have (more|fewer) than|^must have at least/, 'length'],
  [/^must be [<>]/, 'range'],
  [/^must be (a |an )?(string|number|integer|boolean|object|array|null)/, 'type'],
  [/NUL/, 'text'],
  [/^stands twice/, 'repeated'],
  [/^is reserved/, 'reserved'],
];

function wordOf(message: string): string {
  return words.find(([form]) => form.test(message))?.[1] ?? 'invalid';
}

export interface Versions {
  sdkVersion: number | null;
  appVersion: number | null;
}

/** Of a body that JSON could be read of, whatever else is wrong with it. */
export function versionsOf(body: unknown): Versions {
  const properties = memberOf(memberOf(body, 'device'), 'properties');
  return {
    sdkVersion: versionOf(memberOf(properties, 'sdkVersionNormalized')),
    appVersion: versionOf(memberOf(properties, 'appVersionNormalized')),
  };
}

function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return isObject ? (value as Record<string, unknown>)[name] : undefined;
}

/** Only a whole number, as both are: anything else is a value of somebody's own. */
function versionOf(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}

// The span of a call of the public API.

interface TracedCall extends Noted {
  request: IncomingMessage;
  response: ServerResponse;
}

/** Only a call that is taken has a span: a refusal under load must stay cheap, and the metrics count it. */
export function traceCall<Taken extends TracedCall>(call: Taken, work: (call: Taken) => void): void {
  const { operation, request, response, deps } = call;
  if (!deps.tracing) return work(call);
  const details = () => ({ 'application.id': call.application?.id });
  const traced = { request, response, route: operation.path, operation: operation.id, details };
  traceRequest(deps.tracing, traced, () => work(call));
}
