// Traces as the rest of the service sees them: spans, without the SDK of OpenTelemetry: sdkTracing.ts and sdkTracing.ts import it.
import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Pool, PoolClient } from 'pg';
import type { Statement } from '../../database/sql.ts';
import { requestIdOf } from '../../httpServer/httpServer.ts';

/** No value is of a request or of a row: docs/operating/traces.md, "What a span holds". */
export type Attributes = Record<string, string | number | boolean | string[] | undefined>;

export interface SpanStart {
  name: string;
  kind: 'server' | 'client' | 'consumer' | 'internal';
  /** A span, or the header `traceparent` of a request. Null, or a header that is not valid: the span begins a trace. */
  parent: OpenSpan | string | null;
  attributes?: Attributes;
  links?: readonly OpenSpan[];
}

export interface OpenSpan {
  set(attributes: Attributes): void;
  link(other: OpenSpan): void;
  /** With what was thrown, or with the name of a failure. Only the first call counts. */
  end(failure?: unknown): void;
}

/** How many spans ended, and what became of those that left the process. The queue drops spans when it is full. */
export interface SpanCounts {
  ended: number;
  sent: number;
  lost: number;
}

export interface Tracing {
  /** The ids for a log line that is written now; undefined outside every span. */
  lineFields(): { trace_id: string; span_id: string } | undefined;
  /** The span whose work runs now. Null after its end, where the sampler has left it out, and outside every span. */
  current(): OpenSpan | null;
  /** A span without work of its own: `current` does not give it. */
  start(start: SpanStart): OpenSpan;
  /** `work` and what it awaits belong to a new span, which the caller ends. */
  begin<Result>(start: SpanStart, work: (span: OpenSpan) => Result): Result;
  /** `work` belongs to no span. */
  outside<Result>(work: () => Result): Result;
  counts(): SpanCounts;
  /** Sends what is left, for at most three seconds. */
  close(): Promise<void>;
}

/** Runs `work` in a span that ends with it. Without tracing it only runs `work`. */
export async function traced<Result>(
  tracing: Tracing | null | undefined,
  start: SpanStart,
  work: (span: OpenSpan | null) => Promise<Result>,
): Promise<Result> {
  if (!tracing) return work(null);
  return tracing.begin(start, async (span) => {
    try {
      const result = await work(span);
      span.end();
      return result;
    } catch (error) {
      span.end(error);
      throw error;
    }
  });
}

// The span of an HTTP request: what its names are, and when it ends.

export interface TracedRequest {
  request: IncomingMessage;
  response: ServerResponse;
  /** The route of the contract: a path may hold an id. */
  route: string;
  /** As the metrics name it. */
  operation: string;
  /** Read when the request ends. */
  details?: () => Attributes;
}

/** Runs `work` in the request's span, which ends with the response. Without tracing it only runs `work`. */
export function traceRequest(tracing: Tracing | null, traced: TracedRequest, work: () => void): void {
  if (!tracing) return work();
  const { request, response, route, operation, details } = traced;
  const method = request.method!;
  const attributes = {
    'http.request.method': method,
    'http.route': route,
    operation,
    'request.id': requestIdOf(request),
  };
  const header = request.headers['traceparent'];
  const parent = typeof header === 'string' ? header : null;
  tracing.begin({ name: `${method} ${route}`, kind: 'server', parent, attributes }, (span) => {
    response.once('close', () => endWith(span, response, details?.() ?? {}));
    work();
  });
}

function endWith(span: OpenSpan, response: ServerResponse, details: Attributes): void {
  const { statusCode, headersSent, writableFinished } = response;
  span.set({ ...details, ...(headersSent && { 'http.response.status_code': statusCode }) });
  if (!writableFinished) return span.end('client_gone');
  // A refusal of a request is no failure of the span: OpenTelemetry's conventions for HTTP servers.
  span.end(statusCode >= 500 ? String(statusCode) : undefined);
}

// Spans of statements, over a pool that is open: their names and never their values.

type Query = (...given: unknown[]) => unknown;
type Callback = (error: Error | null, result?: unknown) => void;

/**
 * Only a statement inside a span has one: what the process asks by itself every second would fill the collector. The
 * statements of a pipeline share a span, because the server responds to all of them together.
 */
export function traceStatements(pool: Pool, tracing: Tracing): void {
  const known = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => {
    if (known.has(client)) return;
    known.add(client);
    const query = client.query.bind(client) as Query;
    Object.assign(client, { query: tracedQuery(query, tracing) });
  });
  const connect = pool.connect.bind(pool) as (connected?: Callback) => unknown;
  // The pool calls back from the work of another request, which has given its connection back.
  const inOwnSpan = (connected?: Callback): unknown => connect(connected && AsyncResource.bind(connected));
  Object.assign(pool, { connect: inOwnSpan });
}

function tracedQuery(query: Query, tracing: Tracing): Query {
  return (...given) => {
    const parent = tracing.current();
    const names = parent && namesOf(given[0]);
    if (!parent || !names) return query(...given);
    const { summary, text, count } = names;
    const attributes = {
      'db.system.name': 'postgresql',
      'db.query.summary': summary,
      'db.query.text': text,
      'db.operation.batch.size': count > 1 ? count : undefined,
    };
    return ending(tracing.start({ name: summary, kind: 'client', parent, attributes }), query, given);
  };
}

/** The driver takes a callback as its last argument, or as a member of the statement; otherwise it returns a promise. */
function ending(span: OpenSpan, query: Query, given: unknown[]): unknown {
  const end: Callback = (error) => span.end(error ?? undefined);
  const then =
    (callback: Callback): Callback =>
    (error, result) => {
      end(error);
      callback(error, result);
    };
  const last = given.at(-1);
  if (typeof last === 'function') return query(...given.slice(0, -1), then(last as Callback));
  const statement = given[0] as { callback?: Callback };
  if (typeof statement === 'object' && statement.callback) {
    statement.callback = then(statement.callback);
    return query(...given);
  }
  const result = query(...given);
  if (result instanceof Promise) result.then(() => end(null), end);
  else end(null);
  return result;
}

// The name of a statement for a trace, from its text alone.

export interface StatementNames {
  /** As in the comment at the beginning of the text: `sessions: findDevices`. */
  summary: string;
  /** Only of a statement that no comment names, as Prisma and the job queue send them. */
  text: string | undefined;
  /** Above one in a pipeline. */
  count: number;
}

type Asked = Partial<Pick<Statement, 'name' | 'text'>>;

const longest = 500;

/** `statement` in any form that the driver takes. Null for a form that says nothing of itself. */
export function namesOf(statement: unknown): StatementNames | null {
  if (typeof statement === 'string') return namesOfOne({ text: statement });
  if (typeof statement !== 'object' || statement === null) return null;
  if ('parts' in statement) return namesOfPipeline(statement.parts as readonly Asked[]);
  return namesOfOne(statement);
}

function namesOfPipeline(parts: readonly Asked[]): StatementNames {
  const summaries = parts.map((part) => namesOfOne(part)?.summary ?? '?');
  return { summary: summaries.join('; '), text: undefined, count: parts.length };
}

function namesOfOne({ name, text = '' }: Asked): StatementNames | null {
  const commented = /^\s*\/\* ([^*]+?) \*\//.exec(text)?.[1];
  if (commented !== undefined) return { summary: commented, text: undefined, count: 1 };
  const verb = /^\s*([a-z]+)/i.exec(text)?.[1];
  if (verb === undefined) return name === undefined ? null : { summary: name, text: undefined, count: 1 };
  const table = /\b(?:from|into|update)\s+"?(?:\w+"?\."?)?(\w+)/i.exec(text)?.[1];
  const summary = [verb.toUpperCase(), ...(table === undefined ? [] : [table])].join(' ');
  return { summary, text: withoutLiterals(text), count: 1 };
}

/** A parameter is sent beside the text. A literal in the text is our own or a library's, and is left out all the same. */
function withoutLiterals(text: string): string {
  return text.replace(/'(?:[^']|'')*'/g, "'?'").slice(0, longest);
}
