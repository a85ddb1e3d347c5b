// Compares the copy with PostgreSQL, from when it is followed and then once a day, and names to the follower what is to be read anew.
import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase, ClientConfig } from 'pg';
import type { AnalyticsMetrics, ProvedRelation as Relation } from '../../platform/observability/analyticsMetrics.ts';
import type { Log } from '../../platform/observability/log.ts';
import { applyChanges, replaceFirsts } from './applyChanges.ts';
import { Comparison, mostAtOnce, piecesOf, Work, type Piece, type Unit } from './comparison.ts';
import { readState, writeState, type Serving } from './copyFile.ts';
import { inDuckTransaction } from './duck.ts';
import type { Following } from './followLog.ts';
import type { Change } from './logStore.ts';
import { deleteEvents } from './saveRows.ts';
import { withSource } from './source.ts';
import { findSpans } from './spansStore.ts';

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
