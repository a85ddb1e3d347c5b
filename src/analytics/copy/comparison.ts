// One comparison of the copy with PostgreSQL: the sums of both sides in temporary tables of DuckDB, piece by piece.
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ClientBase } from 'pg';
import { provedRelations, type ProvedRelation as Relation } from '../../platform/observability/analyticsMetrics.ts';
import { proofName } from './copyFolder.ts';
import { rowsOfDuck, runDuck } from './duck.ts';
import { dayMicros, sumColumns, sumsOfCopy, sumsOfDatabase, type Within } from './proofSums.ts';
import { beginReading } from './source.ts';
import type { Span } from './sourceStore.ts';
import { weeksOf } from './spansStore.ts';
import { spoolAll } from './spool.ts';

/** One core of PostgreSQL, or one of each node. */
const beginComparing = `${beginReading}; SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL citus.max_adaptive_executor_pool_size = 1`;
/** Sessions, devices or ids in one transaction of DuckDB. */
export const mostAtOnce = 2_000;

/** A relation, and the week of those that are read by weeks. */
export interface Piece {
  relation: Relation;
  span: Span;
  /** The copy may have rows of weeks that PostgreSQL does not have. */
  isFirst: boolean;
  isLast: boolean;
}

/** What differs: a session, a device, a transaction or a line. */
export interface Unit {
  application: string;
  day: bigint;
  unit: string;
  device: string | null;
}

/** How long cores have worked since it was last taken: PostgreSQL knows no priorities, so that only rests bound its share. */
export class Work {
  readonly #threads: number;
  #millis = 0;

  constructor(threads: number) {
    this.#threads = threads;
  }

  ofDatabase<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#measure(1, work);
  }

  ofCopy<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#measure(this.#threads, work);
  }

  takeMillis(): number {
    const millis = this.#millis;
    this.#millis = 0;
    return millis;
  }

  async #measure<Result>(cores: number, work: () => Promise<Result>): Promise<Result> {
    const begun = performance.now();
    try {
      return await work();
    } finally {
      this.#millis += (performance.now() - begun) * cores;
    }
  }
}

interface ComparisonOptions {
  client: ClientBase;
  duck: DuckDBConnection;
  folder: string;
  work: Work;
  signal: AbortSignal;
  catalog(): string;
}

/** The sums of both sides, in temporary tables of DuckDB: `known` and `again` are PostgreSQL's, `held` is the copy's. */
export class Comparison {
  readonly #of: ComparisonOptions;

  constructor(options: ComparisonOptions) {
    this.#of = options;
  }

  /** The database's clock in microseconds since 1970, and the day before which retention removes all sessions. */
  async limits(): Promise<{ now: bigint; keptFrom: bigint | null }> {
    const { rows } = await this.#of.client.query<{ now: string; kept: number | null }>(`/* analytics: proofLimits */
      SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint::text AS now, events_kept_from() - '1970-01-01'::date AS kept`);
    const { now, kept } = rows[0]!;
    return { now: BigInt(now), keptFrom: kept === null ? null : BigInt(kept) };
  }

  async readDatabase(table: 'known' | 'again', { relation, span }: Piece, within: Within | null): Promise<void> {
    const { client, duck, folder, work } = this.#of;
    const spooling = { client, duck, folder, name: proofName, begin: beginComparing };
    const rows = { table, columns: sumColumns(within), statement: sumsOfDatabase(relation, span, within) };
    await work.ofDatabase(() => spoolAll(spooling, rows));
  }

  /** Day by day, so that the sessions of one day are in memory beside their events. */
  async readCopy(piece: Piece, within: Within | null): Promise<void> {
    const { duck, work, signal, catalog } = this.#of;
    await runDuck(duck, 'CREATE OR REPLACE TEMP TABLE held AS FROM temp.known LIMIT 0');
    const days = within ? within.days.map((day) => rangeOf(BigInt(day))) : rangesOf(piece);
    for (const [from, to] of days) {
      signal.throwIfAborted();
      const { relation } = piece;
      const asked = { catalog: catalog(), relation, from, to, applications: within?.applications ?? null };
      const { text, values } = sumsOfCopy(asked);
      await work.ofCopy(() => runDuck(duck, { text: `INSERT INTO temp.held BY NAME ${text}`, values }));
    }
  }

  /** Applications and days of different sums, as far as the copy is to have them. */
  async differing(piece: Piece): Promise<Within> {
    await this.readDatabase('known', piece, null);
    await this.readCopy(piece, null);
    const parts = await this.#rows<{ application: string; day: bigint }>(`
      SELECT DISTINCT application::VARCHAR AS application, day
      FROM ((FROM temp.known EXCEPT FROM temp.held) UNION ALL (FROM temp.held EXCEPT FROM temp.known))
      WHERE ${await this.#isShown(piece)}`);
    return {
      applications: [...new Set(parts.map(({ application }) => application))],
      days: [...new Set(parts.map(({ day }) => Number(day)))],
    };
  }

  /** Resolves to the parts of what `wrong` reads. */
  async findWrong(piece: Piece): Promise<{ application: string; day: string }[]> {
    // Asked after all three were read: what was removed meanwhile is known as removed.
    const isShown = await this.#isShown(piece);
    const unit = 'application, day, unit';
    await runDuck(
      this.#of.duck,
      `CREATE OR REPLACE TEMP TABLE wrong AS
      WITH stayed AS (SELECT ${unit}, rows, sum FROM temp.known INTERSECT SELECT ${unit}, rows, sum FROM temp.again),
        others AS (SELECT ${unit} FROM temp.held EXCEPT (SELECT ${unit} FROM temp.known UNION SELECT ${unit} FROM temp.again)),
        units AS (SELECT ${unit} FROM (FROM stayed EXCEPT SELECT ${unit}, rows, sum FROM temp.held) UNION FROM others)
      SELECT ${unit}, k.device FROM units LEFT JOIN temp.known k USING (${unit}) WHERE ${isShown}
      ORDER BY application, device NULLS FIRST`,
    );
    const parts = await this.#rows<{ application: string; day: bigint }>(
      'SELECT DISTINCT application::VARCHAR AS application, day FROM temp.wrong ORDER BY ALL',
    );
    return parts.map(({ application, day }) => ({ application, day: dateOf(day) }));
  }

  /** Some of them: the n-th and further ones; none when there are no more. */
  wrong(from: bigint): Promise<Unit[]> {
    return this.#rows<Unit>(`SELECT application::VARCHAR AS application, day, unit, device::VARCHAR AS device
      FROM temp.wrong ORDER BY rowid LIMIT ${mostAtOnce} OFFSET ${from}`);
  }

  /** A condition for what is neither of a removed application nor of days from which retention is removing. */
  async #isShown({ relation }: Piece): Promise<string> {
    const { keptFrom } = await this.limits();
    const isRemoved = `application IN (SELECT id FROM ${this.#of.catalog()}.stored.removed_applications)`;
    return `NOT ${isRemoved} AND ${keptFrom !== null && isByWeeks(relation) ? `day >= ${keptFrom}` : 'true'}`;
  }

  #rows<Row>(statement: string): Promise<Row[]> {
    return rowsOfDuck<Row>(this.#of.duck, statement);
  }
}

const isByWeeks = (relation: Relation): boolean => relation === 'sessions' || relation === 'events';

/** The newest week first. */
export function piecesOf(spans: readonly Span[]): Piece[] {
  const weeks = (spans.length > 0 ? [...spans] : weeksOf(Date.now(), Date.now())).reverse();
  return [
    ...weeks.flatMap((span, nth) => {
      const ends = { isFirst: nth === weeks.length - 1, isLast: nth === 0 };
      return provedRelations.filter(isByWeeks).map((relation) => ({ relation, span, ...ends }));
    }),
    ...provedRelations
      .filter((relation) => !isByWeeks(relation))
      .map((relation) => ({ relation, span: weeks[0]!, isFirst: true, isLast: true })),
  ];
}

const [always, never] = [-(2n ** 63n), 2n ** 63n - 1n];

/** The days of a piece, in microseconds since 1970. */
function rangesOf({ relation, span, isFirst, isLast }: Piece): [from: bigint, to: bigint][] {
  if (!isByWeeks(relation)) return [[always, never]];
  const [from, to] = [span.from, span.to].map((date) => BigInt(Date.parse(date)) * 1_000n) as [bigint, bigint];
  const days = Array.from({ length: Number((to - from) / dayMicros) }, (_, nth) =>
    rangeOf(from / dayMicros + BigInt(nth)),
  );
  if (isFirst) days[0]![0] = always;
  if (isLast) days.at(-1)![1] = never;
  return days;
}

const rangeOf = (day: bigint): [from: bigint, to: bigint] => [day * dayMicros, (day + 1n) * dayMicros];

const dateOf = (day: bigint): string => new Date(Number(day) * 86_400_000).toISOString().slice(0, 10);
