// Reads the body of an admin request: only JSON, bounded in bytes. Every refusal has the form of a GraphQL error.
import { isUtf8 } from 'node:buffer';
import express, { type ErrorRequestHandler, type RequestHandler, type Response } from 'express';
import type { ErrorCode } from '../../generated/graphql.ts';
import { requestIdOf } from '../platform/httpServer/requestId.ts';
import type { Log } from '../platform/observability/log.ts';

const limit = 100_000;
const answerTypes = ['application/json', 'application/graphql-response+json'];

interface Refusal {
  status: number;
  message: string;
  extensions: { code: ErrorCode; limit?: number };
}

const notJsonType: Refusal = {
  status: 415,
  message: 'Content-Type must be application/json, in UTF-8, and Content-Encoding a known one.',
  extensions: { code: 'BAD_REQUEST' },
};
const notAcceptable: Refusal = {
  status: 406,
  message: 'Accept excludes application/json and application/graphql-response+json.',
  extensions: { code: 'BAD_REQUEST' },
};
const notJson: Refusal = {
  status: 400,
  message: 'The body is not valid JSON in UTF-8.',
  extensions: { code: 'BAD_REQUEST' },
};
const notOperation: Refusal = {
  status: 400,
  message: 'The body must be a JSON object with a text "query".',
  extensions: { code: 'BAD_REQUEST' },
};
const tooLarge: Refusal = {
  status: 413,
  message: `The body is larger than ${limit} bytes.`,
  extensions: { code: 'PAYLOAD_TOO_LARGE', limit },
};
const failed: Refusal = {
  status: 500,
  message: 'Internal server error.',
  extensions: { code: 'INTERNAL_SERVER_ERROR' },
};

function refuse(res: Response, { status, message, extensions }: Refusal): void {
  res.status(status).json({ errors: [{ message, extensions }] });
}

function namesOtherCharset(type = ''): boolean {
  const [, charset] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type.slice(0, 256)) ?? [];
  return charset !== undefined && charset.toLowerCase() !== 'utf-8';
}

/** Without this check the decoder would silently replace broken bytes by U+FFFD. */
function refuseBrokenUtf8(_req: unknown, _res: unknown, bytes: Buffer): void {
  if (!isUtf8(bytes)) throw Object.assign(new Error('not UTF-8'), { status: 400 });
}

/** Checks `Accept` here because Apollo checks it only after the operation has run. */
const requireJson: RequestHandler = (req, res, next) => {
  if (req.is('application/json') === false || namesOtherCharset(req.headers['content-type'])) refuse(res, notJsonType);
  else if (!req.accepts(answerTypes)) refuse(res, notAcceptable);
  else next();
};

/** Keeps the three members of a GraphQL request and drops all others, `extensions` too. */
const requireOperation: RequestHandler = (req, res, next) => {
  const body: unknown = req.body;
  if (typeof body !== 'object' || body === null || !('query' in body) || typeof body.query !== 'string') {
    refuse(res, notOperation);
    return;
  }
  const { query, variables, operationName } = body as { query: string; variables?: unknown; operationName?: unknown };
  req.body = {
    query,
    ...(variables !== undefined && { variables }),
    ...(operationName !== undefined && { operationName }),
  };
  next();
};

export const requestBody: RequestHandler[] = [
  requireJson,
  express.json({ limit, type: 'application/json', verify: refuseBrokenUtf8 }),
  requireOperation,
];

/** Handles the errors of `express.json` and of Apollo's adapter. A status below 500 means that the body was refused. */
export function bodyErrors(log: Log): ErrorRequestHandler {
  return (error: { status?: number }, req, res, next) => {
    if (res.headersSent) return next(error);
    const refusals: Record<number, Refusal> = { 400: notJson, 413: tooLarge, 415: notJsonType };
    const refusal = refusals[error.status ?? 500] ?? failed;
    if (refusal === failed)
      log.error({ err: error, requestId: requestIdOf(req) }, 'admin request failed outside execution');
    refuse(res, refusal);
  };
}
