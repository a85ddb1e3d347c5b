// The responses of the public API, made and sent: the only place that knows the status of a refusal (openapi.yaml, "Errors").
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AppError, ErrorCode, ErrorDetails, LimitUnit } from '../platform/errors.ts';
import { requestIdOf } from '../platform/httpServer/requestId.ts';
import { WrittenJson } from '../platform/json/writtenJson.ts';

export interface Answer {
  status: number;
  /** Absent in a 304. */
  body?: Record<string, unknown> | WrittenJson<unknown>;
  headers?: Record<string, string>;
}

const answers = {
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
} satisfies { [Code in ErrorCode]: (details: ErrorDetails[Code], chosenSeconds: number) => Answer };

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

function problem(status: number, body: { error: string; message: string; [field: string]: unknown }): Answer {
  return { status, body: { ...body, status } };
}

function validationMessage(count: number): string {
  return count === 1 ? 'One field is not valid.' : `${count} fields are not valid.`;
}

/** Null means a failure of the service. */
export function answerTo(error: AppError | null, chosenSeconds = 1): Answer {
  if (!error) return internalError;
  const answer = answers[error.code] as (details: unknown, chosenSeconds: number) => Answer;
  return answer(error.details, chosenSeconds);
}

/** The result of an operation. */
export interface Success {
  body: NonNullable<Answer['body']>;
  headers?: Record<string, string>;
}

/** A client that holds the representation already gets its headers only. */
export function answerWith({ body, headers = {} }: Success, { headers: sent }: IncomingMessage): Answer {
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
export function send(response: ServerResponse, answer: Answer): void {
  if (response.req.socket.destroyed) return;
  sendWritten(response, written(answer));
}

/** The whole response except the request's id: made once for a response that is sent often. */
export interface WrittenAnswer {
  status: number;
  headers: Record<string, string | number>;
  /** The body in pieces; empty without a body. */
  pieces: readonly (string | Buffer)[];
}

export function written({ status, body, headers = {} }: Answer): WrittenAnswer {
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

export function sendWritten(response: ServerResponse, { status, headers, pieces }: WrittenAnswer): void {
  response.writeHead(status, Object.assign({ 'X-Request-Id': requestIdOf(response.req) }, headers));
  for (const piece of pieces.slice(0, -1)) response.write(piece);
  response.end(pieces.at(-1));
}
