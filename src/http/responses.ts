// The responses of the public API, made and sent: the only place that knows the status of a refusal (openapi.yaml, "Errors").
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AppError, type ErrorCode, type ErrorDetails, type LimitUnit, unavailable } from '../platform/errors.ts';
import { requestIdOf } from '../platform/httpServer/httpServer.ts';
import { WrittenJson } from '../platform/json/jsonBytes.ts';

export interface PublicResponse {
  status: number;
  /** Absent in a 304. */
  body?: Record<string, unknown> | WrittenJson<unknown>;
  headers?: Record<string, string>;
}

const refusals = {
  not_found: () => ({ status: 404, body: { detail: 'Not Found' } }),
  application_not_found: () => ({ status: 404, body: { detail: 'Application not found' } }),
  not_authenticated: ({ reason, serverTime }) =>
    problem(403, { error: 'request_not_authenticated', message: refusalMessages[reason], reason, serverTime }),
  too_large: ({ unit, limit }) =>
    problem(413, { error: 'payload_too_large', message: limitMessage(unit, limit), unit, limit }),
  unsupported_media_type: ({ message }) => problem(415, { error: 'unsupported_media_type', message }),
  validation_failed: ({ fields }) =>
    problem(422, { error: 'validation_failed', message: validationMessage(fields.length), fields }),
  unavailable: ({ retryAfterSeconds }, chosenSeconds) => ({
    ...problem(503, { error: 'unavailable', message: 'The service cannot take this request now. Try again later.' }),
    headers: { 'Retry-After': String(retryAfterSeconds ?? chosenSeconds) },
  }),
  // Only the admin API refuses with these: here they are a failure of the service.
  forbidden: () => internalError,
  signup_closed: () => internalError,
  conflict: () => internalError,
  invalid_credentials: () => internalError,
  invalid_token: () => internalError,
  illegal_transition: () => internalError,
  rate_limited: () => internalError,
  no_organization: () => internalError,
  analytics_unavailable: () => internalError,
} satisfies { [Code in ErrorCode]: (details: ErrorDetails[Code], chosenSeconds: number) => PublicResponse };

const refusalMessages: Record<ErrorDetails['not_authenticated']['reason'], string> = {
  signature_missing: 'X-Timestamp, X-Nonce and X-Signature are required together.',
  signature_malformed: 'A signature header does not have its form.',
  signature_mismatch: 'The signature is not that of this request under this key.',
  timestamp_out_of_window:
    'X-Timestamp is more than 300 seconds ahead of server time, or more than 24 hours behind it.',
  nonce_reused: 'X-Nonce was used before with another body.',
};

function limitMessage(unit: LimitUnit, limit: number): string {
  if (unit === 'inflation') return `A body may inflate to at most ${limit} times its bytes.`;
  return `At most ${limit} ${unit} are accepted.`;
}

const internalError = problem(500, {
  error: 'internal_error',
  message: 'The service failed on this request. It may be sent again.',
});

function problem(status: number, body: { error: string; message: string; [field: string]: unknown }): PublicResponse {
  return { status, body: { ...body, status } };
}

function validationMessage(count: number): string {
  return count === 1 ? 'One field is not valid.' : `${count} fields are not valid.`;
}

/** Null means a failure of the service. */
export function errorResponse(error: AppError | null, chosenSeconds = 1): PublicResponse {
  if (!error) return internalError;
  const refusal = refusals[error.code] as (details: unknown, chosenSeconds: number) => PublicResponse;
  return refusal(error.details, chosenSeconds);
}

/** The result of an operation. */
export interface Success {
  body: NonNullable<PublicResponse['body']>;
  headers?: Record<string, string>;
}

/** A client that holds the representation already gets its headers only. */
export function successResponse({ body, headers = {} }: Success, { headers: sent }: IncomingMessage): PublicResponse {
  const held = clientHolds(sent['if-none-match'], headers['ETag']);
  return held ? { status: 304, headers } : { status: 200, body, headers };
}

const entityTag = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/**
 * RFC 9110, 13.1.2, by weak comparison: `W/"a"` and `"a"` are the same. `*` matches anything; text that is no tag
 * matches nothing.
 */
function clientHolds(ifNoneMatch: string | undefined, etag: string | undefined): boolean {
  if (ifNoneMatch === undefined || etag === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return [...ifNoneMatch.matchAll(entityTag)].some(([, opaque]) => opaque === etag);
}

/** A client that has disconnected gets no response. */
export function send(response: ServerResponse, content: PublicResponse): void {
  if (response.req.socket.destroyed) return;
  sendWritten(response, written(content));
}

/** The whole response except the request's id: made once for a response that is sent often. */
export interface WrittenResponse {
  status: number;
  headers: Record<string, string | number>;
  /** The body in pieces; empty without a body. */
  pieces: readonly (string | Buffer)[];
}

export function written({ status, body, headers = {} }: PublicResponse): WrittenResponse {
  const always = Object.assign({ 'Cache-Control': 'no-store' }, headers);
  if (!body) return { status, headers: always, pieces: [] };
  const pieces = body instanceof WrittenJson ? body.pieces : [JSON.stringify(body)];
  const own = {
    'X-Content-Type-Options': 'nosniff',
    'Content-Type': 'application/json',
    'Content-Length': pieces.reduce((length, piece) => length + Buffer.byteLength(piece), 0),
  };
  // Not by a spread: Node 20 takes longer to spread an object into a longer one than for the rest of this function.
  return { status, headers: Object.assign(own, always), pieces };
}

export function sendWritten(response: ServerResponse, { status, headers, pieces }: WrittenResponse): void {
  response.writeHead(status, Object.assign({ 'X-Request-Id': requestIdOf(response.req) }, headers));
  for (const piece of pieces.slice(0, -1)) response.write(piece);
  response.end(pieces.at(-1));
}

/** The work continues after its time limit, without a response. A retry is safe, even if the work stores the upload. */
export function respondInTime<Result>(work: Promise<Result>, millis: number, onLate: () => void): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      onLate();
      reject(unavailable());
    }, millis);
    const inTime =
      <Value>(settle: (value: Value) => void) =>
      (value: Value) => {
        clearTimeout(timer);
        settle(value);
      };
    work.then(inTime(resolve), inTime(reject));
  });
}

// Chooses `Retry-After` of each 503 of one operation from what became of its last requests (openapi.yaml, "Backoff").

/** The longest wait before the spread, with which it is 300 at most. */
const longestSeconds = 200;
const windowSeconds = 10;
/** While nothing has been taken for longer, the database is away: then the length of the outage says how long to wait. */
const outageMillis = 1_000;
/** Times the length of the outage. With 1, an outage of a minute ends in twice the usual requests (docs/decisions/retry-after.md). */
const outageTimes = 1.5;
/** A few refused requests are no flood, whatever their share: these count as taken besides. */
const alwaysTaken = 100;

export interface RetryAfterParts {
  /** Milliseconds of a clock that nobody sets. */
  uptime(): number;
  /** Uniform in [0, 1). */
  random(): number;
}

const ofProcess: RetryAfterParts = { uptime: () => performance.now(), random: Math.random };

/**
 * The square of the share keeps a short trouble short: 1 s of refusals in the last 10 s is 2 s, 5 s of them are 50 s.
 * After an outage the devices that came during it come back about as fast as they came.
 */
export class RetryAfter {
  readonly #parts: RetryAfterParts;
  readonly #taken = new LastSeconds();
  readonly #refused = new LastSeconds();
  /** Refused since the last request that was taken, and since when. */
  #untaken = 0;
  #untakenSince = 0;

  constructor(parts: RetryAfterParts = ofProcess) {
    this.#parts = parts;
  }

  /** Call it when a request has been served. */
  noteTaken(): void {
    const now = this.#parts.uptime();
    if (this.#untaken > 0) {
      // The refusals of an outage say nothing of the load.
      if (now - this.#untakenSince < outageMillis) this.#refused.add(this.#untaken, now);
      this.#untaken = 0;
    }
    this.#taken.add(1, now);
  }

  /** Counts a refusal, and returns its `Retry-After`: whole seconds from 1 to 300. */
  refuse(): number {
    const now = this.#parts.uptime();
    if (this.#untaken === 0) this.#untakenSince = now;
    this.#untaken += 1;
    const refused = this.#refused.sum(now);
    const share = refused / (this.#taken.sum(now) + refused + alwaysTaken);
    const ofOutage = (outageTimes * (now - this.#untakenSince)) / 1_000;
    const wait = Math.min(longestSeconds, Math.max(1, longestSeconds * share ** 2, ofOutage));
    return Math.max(1, Math.round(wait * (0.5 + this.#parts.random())));
  }
}

/** Counts what came in each of the last seconds: a few additions, because a refusal must be cheap. */
class LastSeconds {
  readonly #counts = new Array<number>(windowSeconds).fill(0);
  #second = 0;
  #sum = 0;

  add(count: number, now: number): void {
    this.#moveTo(now);
    this.#counts[this.#second % windowSeconds]! += count;
    this.#sum += count;
  }

  sum(now: number): number {
    this.#moveTo(now);
    return this.#sum;
  }

  #moveTo(now: number): void {
    const second = Math.floor(now / 1_000);
    const passed = Math.min(second - this.#second, windowSeconds);
    for (let step = 0; step < passed; step++) {
      const place = (second - step) % windowSeconds;
      this.#sum -= this.#counts[place]!;
      this.#counts[place] = 0;
    }
    this.#second = second;
  }
}
