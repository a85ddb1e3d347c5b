// The engine over PostgreSQL or Citus: a small pool of its own, so that a long question holds no connection of the service.
import pg from 'pg';
import type { Log } from '../../platform/observability/log.ts';
import { hasCode } from '../../platform/errors.ts';
import { createLimiter } from '../../platform/concurrencyLimiter.ts';
import { AnalyticsUnavailable, QuestionTooLarge, questionBounds, type AnalyticsEngine, type Answer } from './engine.ts';
import { postgresDialect, type Question } from './dialect.ts';

export interface DatabaseEngineOptions {
  /** Of the database, as the service's pool has it. */
  connection: Pick<pg.PoolConfig, 'connectionString'>;
  log: Pick<Log, 'warn'>;
  bounds?: typeof questionBounds;
}

/**
 * In the transaction, so that a pooler of connections may stand between. The server looks for its client each second, and
 * ends the question of a client that has gone. Compiling (jit) took longer than most questions.
 *
 * The time of an event is an expression over several tables, of which the planner has no statistics: it expects one row of a
 * range. Without `enable_nestloop = off` it then reads all rows of one step of a funnel again for each row of the other. A
 * join by an inequality, or with a function of the row before, still is a nested loop.
 */
export const beginQuestion = (
  timeoutMillis: number,
): string => `BEGIN READ ONLY; SET LOCAL statement_timeout = ${timeoutMillis};
  SET LOCAL max_parallel_workers_per_gather = 4; SET LOCAL work_mem = '64MB'; SET LOCAL jit = off; SET LOCAL enable_nestloop = off;
  SET LOCAL client_connection_check_interval = 1000`;

export function createDatabaseEngine({
  connection,
  log,
  bounds = questionBounds,
}: DatabaseEngineOptions): AnalyticsEngine {
  const pool = new pg.Pool({
    connectionString: connection.connectionString,
    max: bounds.atOnce,
    connectionTimeoutMillis: bounds.patienceMillis,
    query_timeout: bounds.timeoutMillis + 500,
    keepAlive: true,
    application_name: 'campaign-analytics-backend: analytics',
    types,
  });
  pool.on('error', (error) => log.warn({ err: error }, 'an idle connection of the analytics reads was lost'));
  pool.on('connect', (client) => client.on('error', () => undefined));
  const limiter = createLimiter({
    atOnce: bounds.atOnce,
    ofOneLane: bounds.ofOneOrganization,
    longestQueue: bounds.waiting,
    patienceMillis: bounds.patienceMillis,
    refusal: () => new AnalyticsUnavailable({ reason: 'busy' }),
  });
  return {
    dialect: postgresDialect,
    ask: <Row>(question: Question, signal?: AbortSignal) =>
      limiter(() => {
        signal?.throwIfAborted();
        return ask<Row>(pool, question, { signal, bounds });
      }),
    close: () => pool.end(),
  };
}

/** The snapshot of the question is not older than the beginning of its transaction. */
async function ask<Row>(
  pool: pg.Pool,
  { text, values }: Question,
  { signal, bounds }: { signal: AbortSignal | undefined; bounds: typeof questionBounds },
): Promise<Answer<Row>> {
  const client = await pool.connect();
  // A request that ended meanwhile has told its end already: nothing would give the connection back.
  if (signal?.aborted) client.release();
  signal?.throwIfAborted();
  const cut = (): void => client.release(true);
  signal?.addEventListener('abort', cut);
  let broken = true;
  try {
    await client.query(beginQuestion(bounds.timeoutMillis));
    const begun = await client.query<{ now: Date }>('SELECT now()');
    const { rows } = await client.query<pg.QueryResultRow>(text, [...values]);
    await client.query('COMMIT');
    broken = false;
    if (rows.length > bounds.rows) throw new QuestionTooLarge();
    return { rows: rows as Row[], asOf: begun.rows[0]!.now };
  } catch (error) {
    signal?.throwIfAborted();
    throw isTooLarge(error) ? new QuestionTooLarge({ cause: error }) : error;
  } finally {
    signal?.removeEventListener('abort', cut);
    if (!signal?.aborted) client.release(broken);
  }
}

/** The time limit of a statement, and a disk or memory that the question has filled. */
function isTooLarge(error: unknown): boolean {
  if (['57014', '53200', '53100'].some((code) => hasCode(error, code))) return true;
  return error instanceof Error && error.message === 'Query read timeout';
}

const [int8, numeric, json, jsonb, uuid] = [20, 1700, 114, 3802, 2950];
const text = (value: string): string => value;
const parsers = new Map<number, (value: string) => unknown>([
  [int8, Number],
  [numeric, Number],
  [json, text],
  [jsonb, text],
  [uuid, text],
]);

const types: pg.CustomTypesConfig = {
  getTypeParser: (id, format) =>
    (format === 'binary' ? undefined : parsers.get(id)) ??
    (pg.types.getTypeParser(id, format) as (value: string) => unknown),
};
