// The copy of one process: opened or built, followed and written anew, for as long as the process runs.
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DuckDBInstance } from '@duckdb/node-api';
import type { Client, ClientConfig } from 'pg';
import { hasCode } from '../../platform/errors.ts';
import type { Log } from '../../platform/observability/log.ts';
import type { AnalyticsMetrics, CopySize, CopyTrouble } from '../../platform/observability/metrics.ts';
import { buildCopy, Rewriting } from './buildCopy.ts';
import {
  bytesOf,
  type CopyFile,
  deleteFile,
  detachFile,
  isThere,
  misfit,
  openCopy,
  readState,
  type Serving,
  writeState,
} from './copyFile.ts';
import { isStillLocked, quoted, spillName, withFolder } from './copyFolder.ts';
import { DuckError, isDenied, isOutOfMemory, isPassing, openDuck, rowsOfDuck, runDuck } from './duck.ts';
import { type Followed, followLog } from './followLog.ts';
import { findHorizon, findIdentity, findLateCommit } from './logStore.ts';
import { type Proving, withProof } from './proveCopy.ts';
import { withSource } from './source.ts';

/** Between two tries to use the file, and to reach PostgreSQL: the copy goes on soon after a node is back. */
const [longestWaitMillis, longestAwayMillis] = [30_000, 2_000];
/** A shorter step back, in microseconds, is the file of an idle copy. A longer one is a database's clock that was set back. */
const clockSetBack = 60_000_000n;

/** What is open at once. */
interface Opened {
  instance: DuckDBInstance;
  folder: string;
  file: CopyFile | null;
  rewriting: Rewriting | null;
}

export class AnalyticsCopy {
  readonly #options: CopyOptions & typeof copyDefaults;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  #serving: Serving | null = null;
  #progress = 0;
  readonly #damage = new ReportedDamage();
  /** The trouble that was logged last, so that each is logged once. */
  #trouble: string | null = null;
  #waiting: (() => void)[] = [];
  /** Since a copy served, or a build went further than ever since then. */
  #failures = 0;
  #furthest = 0;

  constructor(options: CopyOptions) {
    this.#options = { ...copyDefaults, ...options };
    // The metric says from the start that this process has a copy.
    this.#progressed(0);
    this.#ended = this.#run();
  }

  /** Null until it is opened and built. */
  get serving(): Serving | null {
    return this.#serving;
  }

  /** The share of a build that is done. */
  get progress(): number {
    return this.#progress;
  }

  /**
   * Whether the last tries have neither opened nor built a copy, nor gone on with a build: the log and
   * `analytics_copy_failures_total` say why.
   */
  get stopped(): boolean {
    return this.#serving === null && this.#failures > 1;
  }

  /** A question has failed: if the file is damaged, it is built anew. */
  questionFailed(error: unknown): void {
    this.#damage.report(error);
  }

  /** Resolves when everything that is committed now is in. */
  followed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the copy is stopped'));
    await this.#ended;
  }

  #run(): Promise<void> {
    return this.#repeat(async () => {
      const { dir: parent, memoryMib, threads, log } = this.#options;
      const instance = await openDuck({ memoryMib, threads });
      const admin = await instance.connect();
      try {
        await withFolder({ connection: admin, parent, log }, async (folder) => {
          await runDuck(admin, `SET GLOBAL temp_directory = ${quoted(path.join(folder, spillName))}`);
          await this.#withFile({ instance, folder, file: null, rewriting: null });
        });
      } finally {
        this.#serve(null);
        admin.closeSync();
        instance.closeSync();
      }
    }, longestWaitMillis);
  }

  /** Runs the work again and again, after pauses that grow while it fails at once. */
  async #repeat(
    work: () => Promise<void>,
    longestMillis: number,
    isOurs: (error: unknown) => boolean = () => true,
  ): Promise<void> {
    const { signal } = this.#stopping;
    for (let wait = 250; !signal.aborted; wait = Math.min(wait * 2, longestMillis)) {
      const begun = performance.now();
      try {
        await work();
      } catch (error) {
        if (!isOurs(error)) throw error;
        if (!signal.aborted) this.#failed(error);
      }
      if (performance.now() - begun > longestMillis) wait = 250;
      await pause(wait, undefined, { signal }).catch(() => undefined);
    }
  }

  /**
   * A lost connection leaves the file open, which goes on answering while PostgreSQL is away, and so does a step that had no
   * memory beside the questions. After another error of DuckDB all of it is closed: DuckDB refuses further work after some.
   */
  async #withFile(opened: Opened): Promise<void> {
    try {
      await this.#repeat(
        () => withSource(this.#options.connection, this.#stopping.signal, (client) => this.#follow(opened, client)),
        longestAwayMillis,
        (error) => !(error instanceof DuckError) || isOutOfMemory(error),
      );
      await opened.rewriting?.abandon();
      // Its log goes into the file, so that the next start has nothing to replay.
      if (opened.file) await detachFile(opened.file);
    } catch (error) {
      await opened.rewriting?.abandon();
      // DuckDB closes a file with its last connection. Left to the collector, that would be at any time.
      opened.file?.duck.closeSync();
      // A log that may not be written: DuckDB opens the file, and then refuses each commit.
      const isLost = isDamage(error) || (error instanceof DuckError && isDenied(error));
      if (isLost && opened.file) await deleteFile(opened.folder, opened.file.number);
      throw error;
    }
  }

  async #follow(opened: Opened, client: Client): Promise<void> {
    await this.#open(opened, client);
    const proof = { ...this.#options, folder: opened.folder, copy: this };
    await withProof(proof, (proving) => this.#keepUp(opened, client, proving));
  }

  async #keepUp(opened: Opened, client: Client, proving: Proving): Promise<void> {
    const { folder } = opened;
    const pace = { lookedAhead: 0n };
    const rewriting = (opened.rewriting ??= new Rewriting(opened, this.#options.rewriteAfter));
    for (let nextUpkeep = 0; ;) {
      this.#stopping.signal.throwIfAborted();
      this.#damage.throwReported();
      if (!(await isThere(opened.file!))) throw new DuckError('its file is gone');
      if (!(await isStillLocked(folder))) throw new DuckError('its lock is gone');
      const asked = this.#waiting.length;
      const { asOf, more, ahead } = await followLog({ file: opened.file!, client, folder, pace });
      this.#serve({ instance: opened.instance, catalog: opened.file!.catalog, asOf });
      if (!more && !ahead) for (const answer of this.#waiting.splice(0, asked)) answer();
      if (!rewriting.isUnderWay) await proving.mend({ file: opened.file!, client, folder });
      if (performance.now() > nextUpkeep) {
        nextUpkeep = performance.now() + this.#options.upkeepMillis;
        this.#options.metrics.copyMeasured(await measureCopy(opened.file!));
        await rewriting.begin();
      }
      await this.#takeRewritten(opened, rewriting, (file) =>
        followLog({ file, client, folder, pace: { lookedAhead: 0n } }),
      );
      await pause(more ? 0 : this.#options.pollMillis, undefined, { signal: this.#stopping.signal });
    }
  }

  async #takeRewritten(
    opened: Opened,
    rewriting: Rewriting,
    follow: (file: CopyFile) => Promise<Followed>,
  ): Promise<void> {
    try {
      const next = await rewriting.ended(follow);
      if (!next) return;
      this.#serve({ instance: opened.instance, catalog: next.catalog, asOf: this.#serving!.asOf });
      await rewriting.putInPlace(next);
    } catch (error) {
      if (!(error instanceof DuckError) || !isPassing(error)) throw error;
      this.#failed(error);
    }
  }

  /** A file that no longer belongs to PostgreSQL stops answering, and another one is built. */
  async #open(opened: Opened, client: Client): Promise<void> {
    const { signal } = this.#stopping;
    const [identity, horizon] = [await findIdentity(client), await findHorizon(client)];
    const { instance, folder } = opened;
    if (opened.file) {
      const reason = misfit((await readState(opened.file))!, identity, horizon);
      if (reason !== null) throw new DuckError(reason);
    } else {
      // The rows of a late commit may appear on its worker after the build has read their table.
      const late = horizon.isCluster ? await findLateCommit(client, 0n) : null;
      const start = late !== null && late < horizon.below ? late : horizon.below;
      opened.file = await openCopy({ instance, folder, identity, horizon, start, log: this.#options.log });
    }
    const { file } = opened;
    // A build that lost its connection goes on.
    if ((await readState(file))!.complete) return;
    await buildCopy({ file, client, folder, signal, progressed: (share) => this.#progressed(share) });
    await writeState(file, { complete: true });
    this.#options.log.info({ file: file.path }, 'the copy for analytics is built');
  }

  #serve(serving: Serving | null): void {
    if (serving && this.#trouble !== null) this.#options.log.info('the copy for analytics goes on');
    if (serving) this.#trouble = null;
    // An idle copy writes its age seldom, so that what its file says may be older than what was said last.
    const back = serving && this.#serving ? this.#serving.asOf - serving.asOf : 0n;
    this.#serving = serving && { ...serving, asOf: serving.asOf + (back > 0n && back < clockSetBack ? back : 0n) };
    this.#options.metrics.copyFollowed(this.#serving && Number(this.#serving.asOf / 1_000n));
    if (serving) {
      this.#progressed(1);
      [this.#failures, this.#furthest] = [0, 0];
    }
  }

  #progressed(share: number): void {
    if (share > this.#furthest) [this.#failures, this.#furthest] = [0, share];
    this.#progress = share;
    this.#options.metrics.copyProgressed(share);
  }

  #failed(error: unknown): void {
    this.#failures += 1;
    const trouble = troubleOf(error);
    this.#options.metrics.copyFailed(trouble);
    if (this.#trouble === trouble) return;
    this.#trouble = trouble;
    this.#options.log.warn({ err: error, trouble }, 'the copy for analytics stops until its next try');
  }
}

// The options of a process's copy, and the pauses that production uses.

export interface CopyOptions {
  /** Of the database, as the pool has it. */
  connection: ClientConfig;
  /** ANALYTICS_DIR. */
  dir: string;
  memoryMib: number;
  threads: number;
  log: Log;
  metrics: AnalyticsMetrics;
  /** Between two looks into the log while there is nothing new. */
  pollMillis?: number;
  /** How long the file may hold bytes of removed rows, in microseconds. */
  rewriteAfter?: bigint;
  /** Between two looks at the size of the copy. */
  upkeepMillis?: number;
  /** Between two comparisons with PostgreSQL. Null: none. */
  proveMillis?: number | null;
  /** How many times as long as it works a comparison rests: with 9 it takes a tenth of a core. */
  proofRests?: number;
}

/** Twelve hours after the first removal that the file still holds, so that no byte stays for a day. */
export const copyDefaults = {
  pollMillis: 500,
  rewriteAfter: 12n * 3_600_000_000n,
  upkeepMillis: 10_000,
  proveMillis: 86_400_000 as number | null,
  proofRests: 9,
};

// Tells apart what stopped the copy: PostgreSQL, a damaged file, memory, or a disk that takes no more.

/** DuckDB's words for bytes that are not what it wrote, and for a database that it has given up. */
const damage =
  /corrupt|checksum|could not read|not a valid DuckDB|serialization error|replaying WAL|invalidated|internal error|fatal error/i;

export function isDamage(error: unknown): error is DuckError {
  return error instanceof DuckError && !isPassing(error) && damage.test(error.message);
}

/** Bytes that DuckDB did not write. What else `isDamage` holds for may be of one question. */
export function isCertainDamage(error: unknown): boolean {
  return isDamage(error) && /corrupt|checksum|not a valid DuckDB/i.test(error.message);
}

export function troubleOf(error: unknown): CopyTrouble {
  if (isOutOfMemory(error)) return 'memory';
  if (error instanceof DuckError) return isPassing(error) ? 'disk' : 'file';
  return ['ENOSPC', 'EDQUOT', 'EACCES', 'EROFS', 'EMFILE'].some((code) => hasCode(error, code)) ? 'disk' : 'database';
}

const againMillis = 600_000;

/** An error inside DuckDB can be of one question. The file is opened again, and is damaged where the error comes again. */
export class ReportedDamage {
  #reported: Error | null = null;
  #until = 0;

  /** A question has failed. */
  report(error: unknown): void {
    if (isDamage(error)) this.#reported = error;
  }

  throwReported(): void {
    if (this.#reported === null) return;
    const [reported, isAgain] = [this.#reported, performance.now() < this.#until];
    [this.#reported, this.#until] = [null, performance.now() + againMillis];
    throw isAgain || isCertainDamage(reported) ? reported : new DuckError('a question met an error inside DuckDB');
  }
}

// What the copy takes: rows, memory and bytes of its file, for the metrics.

export async function measureCopy(file: CopyFile): Promise<CopySize> {
  const counts = await rowsOfDuck<{ relation: string; count: bigint }>(file.duck, {
    text: `SELECT table_name AS relation, estimated_size AS count FROM duckdb_tables()
      WHERE database_name = $1 AND schema_name = 'stored' AND table_name NOT IN ('state', 'pieces')`,
    values: [file.catalog],
  });
  const [memory] = await rowsOfDuck<{ bytes: bigint }>(
    file.duck,
    'SELECT coalesce(sum(memory_usage_bytes), 0)::BIGINT AS bytes FROM duckdb_memory()',
  );
  return {
    rows: Object.fromEntries(counts.map(({ relation, count }) => [relation, Number(count)])),
    memoryBytes: Number(memory!.bytes),
    fileBytes: await bytesOf(file),
  };
}
