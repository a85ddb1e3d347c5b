// Sends a query on each idle connection every second, so that no request is the first to find a dead one.
import type { Database } from './database.ts';

/** The interval, and the timeout of a response: a silent connection is removed after two seconds. */
const everyMillis = 1_000;
const answerWithinMillis = 1_000;

/** The returned function stops it. The pool drops a connection whose query fails. */
export function askIdleConnections({ pool, idleQuestion }: Pick<Database, 'pool' | 'idleQuestion'>): () => void {
  const timer = setInterval(() => {
    // pg's types lack the timeout of a single query.
    const question = { text: idleQuestion(), query_timeout: answerWithinMillis };
    // Sent in one turn of the event loop, each query takes its own connection.
    for (let idle = pool.idleCount; idle > 0; idle--) pool.query(question).catch(() => undefined);
  }, everyMillis);
  timer.unref();
  return () => clearInterval(timer);
}
