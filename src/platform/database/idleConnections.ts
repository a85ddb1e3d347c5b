// Idle connections of the pool are asked something every second, so that no request is the first to meet a dead one.
import type pg from 'pg';

/** How often, and how long an answer may take: a connection that went silent is gone after two seconds. */
const everyMillis = 1_000;
const answerWithinMillis = 1_000;

/** The answer ends it. The pool drops a connection whose query fails. */
export function askIdleConnections(pool: pg.Pool): () => void {
  // The bound of one query is missing in pg's types.
  const question = { text: '/* platform: idle connection */ SELECT 1', query_timeout: answerWithinMillis };
  const timer = setInterval(() => {
    // Asked in one turn, each query takes a connection of its own.
    for (let idle = pool.idleCount; idle > 0; idle--) pool.query(question).catch(() => undefined);
  }, everyMillis);
  timer.unref();
  return () => clearInterval(timer);
}
