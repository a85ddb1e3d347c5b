// Compares the copy with PostgreSQL, from when it is followed and then once a day, and names to the follower what is to be read anew.
import { setTimeout as pause } from 'node:timers/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ClientBase, ClientConfig } from 'pg';
import type { Log } from '../../platform/observability/log.ts';
import {
  type AnalyticsMetrics,
  type ProvedRelation as Relation,
  provedRelations,
} from '../../platform/observability/metrics.ts';
import { readState, type Serving, writeState } from './copyFile.ts';
import { proofName } from './copyFolder.ts';
import { inDuckTransaction, rowsOfDuck, runDuck } from './duck.ts';
import { applyChanges, type Following, replaceFirsts } from './followLog.ts';
import type { Change } from './logStore.ts';
import { dayMicros, sumColumns, sumsOfCopy, sumsOfDatabase, type Within } from './proofSums.ts';
import { deleteEvents } from './saveRows.ts';
import { beginReading, spoolAll, withSource } from './source.ts';
import { findSpans, type Span, weeksOf } from './sourceStore.ts';

export interface ProofOptions {
  connection: ClientConfig;
  folder: string;
  /** Between two rounds. Null: nothing is compared. */
  proveMillis: number | null;
  /** How many times as long as PostgreSQL or one thread of DuckDB works it rests. */
  proofRests: number;
  /** That DuckDB may use at once. */
  threads: number;
  log: Log;
  metrics: Pick<AnalyticsMetrics, 'copyMended'>;
  /** `serving` is not null for as long as the copy is followed. */
  copy: { readonly serving: Serving | null; questionFailed(error: unknown): void };
}

type Mending = Pick<Following, 'file' | 'client' | 'folder'>;

/** The work follows the copy, and mends it between its steps. */
export async function withProof(options: ProofOptions, work: (proving: Proving) => Promise<void>): Promise<void> {
  const proving = new Proving(options);
  try {
    await work(proving);
  } finally {
    await proving.end();
  }
}

const retryMillis = 600_000;
const lookMillis = 100;
/** Of what differs in one line of the log. */
const mostLogged = 100;

export class Proving {
  readonly #options: ProofOptions;
  readonly #ending = new AbortController();
  /** The follower has not read it anew yet. */
  readonly #wrong: Change[][] = [];
  #ended: Promise<void> | null = null;

  constructor(options: ProofOptions) {
    this.#options = options;
  }

  /** For the follower, whose connection alone writes the copy. The first call begins the first round. */
  async mend(following: Mending): Promise<void> {
    const { proveMillis } = this.#options;
    if (proveMillis !== null) this.#ended ??= this.#repeat(proveMillis);
    for (; this.#wrong.length > 0; this.#wrong.shift()) await readAnew(this.#wrong[0]!, following);
  }

  async end(): Promise<void> {
    this.#ending.abort(new Error('the copy is not followed now'));
    await this.#ended;
  }

  get #serving(): Serving {
    return this.#options.copy.serving!;
  }

  async #repeat(everyMillis: number): Promise<void> {
    const { connection, log, copy } = this.#options;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      let wait = everyMillis;
      try {
        await withSource(connection, signal, (client) => this.#round(client), 'proof');
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error }, 'the copy for analytics was not compared with PostgreSQL until the next try');
        copy.questionFailed(error);
        wait = Math.min(retryMillis, everyMillis);
      }
      await pause(wait, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #round(client: ClientBase): Promise<void> {
    const { signal } = this.#ending;
    const { folder, threads, proofRests } = this.#options;
    const duck = await this.#serving.instance.connect();
    const interrupt = (): void => duck.interrupt();
    signal.addEventListener('abort', interrupt);
    try {
      const work = new Work(threads);
      const comparison = new Comparison({ client, duck, folder, work, signal, catalog: () => this.#serving.catalog });
      await this.#followed((await comparison.limits()).now);
      for (const piece of piecesOf(await findSpans(client))) {
        await this.#compare(comparison, piece);
        await pause(work.takeMillis() * proofRests, undefined, { signal, ref: false });
      }
    } finally {
      signal.removeEventListener('abort', interrupt);
      duck.closeSync();
    }
  }

  /**
   * Rows come between a look at PostgreSQL and one at the copy. So where sums differ each session is looked at: what PostgreSQL
   * says before and after, the copy must say in between, when it has followed as far. What changes meanwhile is read anew as a
   * whole by the follower, because the log names it.
   */
  async #compare(comparison: Comparison, piece: Piece): Promise<void> {
    const within = await comparison.differing(piece);
    if (within.days.length === 0) return;
    await comparison.readDatabase('known', piece, within);
    await this.#followed((await comparison.limits()).now);
    await comparison.readCopy(piece, within);
    await comparison.readDatabase('again', piece, within);
    const parts = await comparison.findWrong(piece);
    if (parts.length === 0) return;
    const { log, metrics } = this.#options;
    const { relation } = piece;
    log.error(
      { relation, count: parts.length, parts: parts.slice(0, mostLogged) },
      'the copy for analytics differed from PostgreSQL, and is read anew there',
    );
    metrics.copyMended(relation, parts.length);
    for (let from = 0n, some; (some = await comparison.wrong(from)).length > 0; from += BigInt(mostAtOnce)) {
      this.#wrong.push(changesOf(relation, some));
      while (this.#wrong.length > 0) await this.#look();
    }
  }

  async #followed(until: bigint): Promise<void> {
    while (this.#serving.asOf < until) await this.#look();
  }

  async #look(): Promise<void> {
    await pause(lookMillis, undefined, { signal: this.#ending.signal, ref: false });
  }
}

/** Of a session that only the copy has: no device has this key. */
const noDevice = '00000000-0000-0000-0000-000000000000';

/** What the log would say if all of these had changed. */
function changesOf(relation: Relation, units: readonly Unit[]): Change[] {
  const nothing = {
    xid: 0n,
    at: 0n,
    droppedBefore: null,
    removedApplication: null,
    purchasesOf: null,
    transactions: null,
    lines: null,
  };
  return [...new Set(units.map(({ application }) => application))].map((application) => {
    const own = units.filter((unit) => unit.application === application);
    const names = own.map(({ unit }) => unit);
    if (relation === 'devices') return { ...nothing, refs: [], deviceKeys: names };
    const purchases = { ...nothing, refs: [], deviceKeys: [], purchasesOf: application };
    if (relation === 'transactions') return { ...purchases, transactions: names };
    if (relation === 'renewals') return { ...purchases, lines: names };
    return { ...nothing, refs: names, deviceKeys: own.map(({ device }) => device ?? noDevice) };
  });
}

async function readAnew(changes: readonly Change[], { file, client, folder }: Mending): Promise<void> {
  const { duck } = file;
  await inDuckTransaction(duck, async () => {
    // Also those whose session the copy does not have.
    await deleteEvents(
      duck,
      changes.flatMap(({ refs }) => refs),
    );
    await applyChanges(changes, { client, duck, folder });
    // A device that was missing has another number now.
    await replaceFirsts({ client, duck, folder });
    // What only the copy had may be what somebody has removed.
    const { removedSince, asOf } = (await readState(file))!;
    await writeState(file, { removedSince: removedSince ?? asOf });
  });
}

// One comparison of the copy with PostgreSQL: the sums of both sides in temporary tables of DuckDB, piece by piece.

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
