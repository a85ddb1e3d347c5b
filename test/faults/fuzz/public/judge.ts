// Judges every response of the public API: documented, valid by its schema, no internal error, as the case expects, and the same when repeated.
import { SetMatchType } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import { signedHeaders } from '../../../support/uploads.ts';
import type { PublicDocument } from '../../../support/publicDocument.ts';
import { keyPlace, type Expected, type PublicCase } from '../cases.ts';
import type { Exchange, RawResponse } from '../exchange.ts';

export interface Target {
  exchange: Exchange;
  key: { public: string; secret: string };
  now(): Date;
}

type Operation = ReturnType<PublicDocument['getOperations']>[number];

interface Refusal {
  fields?: { path: string }[];
  unit?: string;
  limit?: number;
  reason?: string;
}

/** Throws the fault of the responses to this request. */
export type PublicJudge = (request: PublicCase) => Promise<void>;

export function publicJudge(document: PublicDocument, target: Target): PublicJudge {
  // A lookup table: the library builds all operations anew for each lookup.
  const operations = new Map(document.getOperations().map((operation) => [operation.operationId!, operation]));
  return async (request) => {
    const operation = operations.get(request.operation)!;
    const results = [await send(operation, target, request), await send(operation, target, request)];
    for (const response of results) assertDocumented(document, operation, response);
    const [first, second] = results.map((response) => verdictOf(response));
    assertExpected(request.expected, first!);
    if (JSON.stringify(first) !== JSON.stringify(second)) fail('another verdict the second time', { first, second });
  };
}

function send(operation: Operation, { exchange, key, now }: Target, request: PublicCase): Promise<RawResponse> {
  const { method, path } = operation;
  const body = Buffer.from(request.body, 'base64');
  const own = Object.entries(request.headers).map(([name, value]) => [name, value.replaceAll(keyPlace, key.public)]);
  const timestamp = Math.floor(now().getTime() / 1000);
  const signature = request.signed ? signedHeaders(key, body, { timestamp }) : {};
  const signed = Object.entries(signature).map(([name, value]) => [name.toLowerCase(), value]);
  const headers = Object.fromEntries([...signed, ...own]) as Record<string, string>;
  return exchange({ method: method.toUpperCase(), target: path + request.query, headers, body });
}

function verdictOf({ status, text }: RawResponse) {
  const { fields, unit, limit, reason } = (text === '' ? {} : JSON.parse(text)) as Refusal;
  return { status, paths: fields?.map(({ path }) => path).sort() ?? [], unit, limit, reason };
}

function assertExpected(expected: Expected, verdict: ReturnType<typeof verdictOf>): void {
  const { statuses, fields, below, unit, limit, reason } = expected;
  const { status, paths } = verdict;
  if (!statuses.includes(status)) fail(`status ${status} instead of ${statuses.join(' or ')}`, verdict);
  if (fields && JSON.stringify(fields) !== JSON.stringify(paths)) fail('the wrong fields', { fields, verdict });
  if (below !== undefined && !paths.every((path) => path === '' || path.startsWith(below)))
    fail('another field', verdict);
  if ((unit ?? verdict.unit) !== verdict.unit || (limit ?? verdict.limit) !== verdict.limit)
    fail('another limit', verdict);
  if (reason !== undefined && reason !== verdict.reason) fail(`another reason than ${reason}`, verdict);
}

function assertDocumented(document: PublicDocument, operation: Operation, response: RawResponse): void {
  const { status, text, headers } = response;
  if (status >= 500) fail('a failure', response);
  const documented = operation.responses[String(status)] as OpenAPIV3.ResponseObject | undefined;
  if (!documented) throw new Error(`the status ${status} is not documented for ${operation.operationId}`);
  if (!documented.content) return void (text !== '' && fail('a body where none belongs', response));
  if (headers['content-type'] !== 'application/json') fail('not JSON', response);
  const { valid, errors } = document.validateResponse(JSON.parse(text), operation, status);
  if (!valid) fail('the body breaks the contract', { result: response, errors });
  const named = Object.keys(documented.headers ?? {}).map((name) => [name, headers[name.toLowerCase()]]);
  const given = Object.fromEntries(named.filter(([, value]) => value !== undefined)) as Record<string, string>;
  const check = document.validateResponseHeaders(given, operation, {
    statusCode: status,
    setMatchType: SetMatchType.Superset,
  });
  if (!check.valid) fail('the headers break the contract', { result: response, errors: check.errors });
}

function fail(what: string, details: unknown): never {
  throw new Error(`${what}: ${JSON.stringify(details).slice(0, 2_000)}`);
}
