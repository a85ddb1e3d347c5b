// Spans of statements, over a pool that is open: their names and never their values.
import { AsyncResource } from 'node:async_hooks';
import type { Pool, PoolClient } from 'pg';
import type { OpenSpan, Tracing } from '../observability/tracing/tracing.ts';
import { namesOf } from './statementNames.ts';

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
