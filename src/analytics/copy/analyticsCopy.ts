// The copy of one process: opened or built, followed and written anew, for as long as the process runs.
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DuckDBInstance } from '@duckdb/node-api';
import type { Client, ClientConfig } from 'pg';
import type { AnalyticsMetrics } from '../../platform/observability/analyticsMetrics.ts';
import type { Log } from '../../platform/observability/log.ts';
import { followTestDevices } from './applyChanges.ts';
import { buildCopy } from './buildCopy.ts';
import { deleteFile, detachFile, isThere, readState, writeState, type CopyFile } from './copyFile.ts';
import { quoted, withFolder } from './copyFolder.ts';
import { DuckError, openDuck, runDuck } from './duck.ts';
import { followLog } from './followLog.ts';
import { findHorizon, findIdentity, findStart, isCluster } from './logStore.ts';
import { measureCopy } from './measureCopy.ts';
import { misfit, openCopy } from './openCopy.ts';
import { Rewriting } from './rewriteCopy.ts';
import { withSource } from './source.ts';
import { isDamage, troubleOf } from './trouble.ts';

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
  /** Whether rows are counted against the log. Default: on a cluster. */
  counts?: boolean;
  /** Between two looks at the size of the copy. */
  upkeepMillis?: number;
}

/** A copy that holds everything committed before `asOf`. */
export interface Serving {
  instance: DuckDBInstance;
  catalog: string;
  /** Microseconds since 1970. */
  asOf: bigint;
}

/** The file is written anew twelve hours after the first removal that it still holds, so that no byte stays for a day. */
const defaults = { pollMillis: 500, rewriteAfter: 12n * 3_600_000_000n, upkeepMillis: 10_000 };
const testDevicesMillis = 2_000;
const longestWaitMillis = 30_000;

/** What is open at once. */
interface Opened {
  instance: DuckDBInstance;
  folder: string;
  file: CopyFile | null;
  rewriting: Rewriting | null;
}

export class AnalyticsCopy {
  readonly #options: CopyOptions & typeof defaults;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  #serving: Serving | null = null;
  #progress = 0;
  #damage: unknown = null;
  /** The trouble that was logged last, so that each is logged once. */
  #trouble: string | null = null;
  #waiting: (() => void)[] = [];

  constructor(options: CopyOptions) {
    this.#options = { ...defaults, ...options };
    this.#ended = this.#run();
  }

  /** Null while the copy is opened or built. */
  get serving(): Serving | null {
    return this.#serving;
  }

  /** The share of a build that is done. */
  get progress(): number {
    return this.#progress;
  }

  /** A question has failed: if the file is damaged, it is built anew. */
  questionFailed(error: unknown): void {
    if (isDamage(error)) this.#damage = error;
  }

  /** Resolves once everything that is committed now is in. */
  followed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the copy is stopped'));
    await this.#ended;
  }

  #run(): Promise<void> {
    return this.#repeat(async () => {
      const { dir, memoryMib, threads } = this.#options;
      const instance = await openDuck({ memoryMib, threads });
      const admin = await instance.connect();
      try {
        await withFolder(admin, dir, async (folder) => {
          await runDuck(admin, `SET GLOBAL temp_directory = ${quoted(path.join(folder, 'spill'))}`);
          await this.#withFile({ instance, folder, file: null, rewriting: null });
        });
      } finally {
        this.#serve(null);
        admin.closeSync();
        instance.closeSync();
      }
    });
  }

  /** Runs the work again and again, after pauses that grow while it fails at once. */
  async #repeat(work: () => Promise<void>, isOurs: (error: unknown) => boolean = () => true): Promise<void> {
    const { signal } = this.#stopping;
    for (let wait = 250; !signal.aborted; wait = Math.min(wait * 2, longestWaitMillis)) {
      const begun = performance.now();
      try {
        await work();
      } catch (error) {
        if (!isOurs(error)) throw error;
        if (!signal.aborted) this.#failed(error);
      }
      if (performance.now() - begun > longestWaitMillis) wait = 250;
      await pause(wait, undefined, { signal }).catch(() => undefined);
    }
  }

  /**
   * A lost connection leaves the file open, which goes on answering while PostgreSQL is away. After an error of DuckDB
   * all of it is closed: DuckDB refuses further work after some of them.
   */
  async #withFile(opened: Opened): Promise<void> {
    try {
      await this.#repeat(
        () => withSource(this.#options.connection, this.#stopping.signal, (client) => this.#follow(opened, client)),
        (error) => !(error instanceof DuckError),
      );
      await opened.rewriting?.abandon();
      // Its log goes into the file, so that the next start has nothing to replay.
      if (opened.file) await detachFile(opened.file);
    } catch (error) {
      await opened.rewriting?.abandon();
      // DuckDB closes a file with its last connection. Left to the collector, that would be at any time.
      opened.file?.duck.closeSync();
      if (isDamage(error) && opened.file) await deleteFile(opened.folder, opened.file.number);
      throw error;
    }
  }

  async #follow(opened: Opened, client: Client): Promise<void> {
    await this.#open(opened, client);
    const { folder } = opened;
    const pace = { lookedAhead: 0n };
    const counts = this.#options.counts ?? (await isCluster(client));
    const rewriting = (opened.rewriting ??= new Rewriting(opened, this.#options.rewriteAfter));
    for (let [nextUpkeep, nextTests] = [0, 0]; ;) {
      this.#stopping.signal.throwIfAborted();
      if (this.#damage !== null) throw this.#takeDamage();
      if (!(await isThere(opened.file!))) throw new DuckError('its file is gone');
      const asked = this.#waiting.splice(0);
      if (asked.length > 0 || performance.now() > nextTests) {
        nextTests = performance.now() + testDevicesMillis;
        await followTestDevices({ client, duck: opened.file!.duck, folder });
      }
      const { asOf, more, ahead } = await followLog({ file: opened.file!, client, folder, counts, pace });
      this.#serve({ instance: opened.instance, catalog: opened.file!.catalog, asOf });
      if (more || ahead) this.#waiting.unshift(...asked);
      else for (const answer of asked) answer();
      if (performance.now() > nextUpkeep) {
        nextUpkeep = performance.now() + this.#options.upkeepMillis;
        this.#options.metrics.copyMeasured(await measureCopy(opened.file!));
        await rewriting.begin();
      }
      const next = await rewriting.ended((file) => followLog({ file, client, folder, counts, pace }));
      if (next) this.#serve({ instance: opened.instance, catalog: next.catalog, asOf });
      if (next) await rewriting.putInPlace(next);
      if (!more) await pause(this.#options.pollMillis, undefined, { signal: this.#stopping.signal });
    }
  }

  /** A file that no longer belongs to PostgreSQL stops answering, and another one is built. */
  async #open(opened: Opened, client: Client): Promise<void> {
    const { signal } = this.#stopping;
    const [identity, horizon] = [await findIdentity(client), await findHorizon(client)];
    if (opened.file) {
      const state = await readState(opened.file);
      const reason = state && misfit(state, identity, horizon);
      if (reason === null) return;
      throw new DuckError(reason);
    }
    const { instance, folder } = opened;
    const start = await findStart(client, horizon.below);
    const file = await openCopy({ instance, folder, identity, horizon, start, log: this.#options.log });
    opened.file = file;
    if ((await readState(file))!.complete) return;
    await buildCopy({ file, client, folder, signal, progressed: (share) => this.#progressed(share) });
    await writeState(file, { complete: true });
    this.#options.log.info({ file: file.path }, 'the copy for analytics is built');
  }

  #serve(serving: Serving | null): void {
    if (serving && this.#trouble !== null) this.#options.log.info('the copy for analytics goes on');
    if (serving) this.#trouble = null;
    // An idle copy writes its age seldom, so that what its file says may be older than what was said last.
    const last = this.#serving?.asOf ?? 0n;
    this.#serving = serving && { ...serving, asOf: serving.asOf > last ? serving.asOf : last };
    this.#options.metrics.copyFollowed(this.#serving && Number(this.#serving.asOf / 1_000n));
    if (serving) this.#progressed(1);
  }

  #progressed(share: number): void {
    this.#progress = share;
    this.#options.metrics.copyProgressed(share);
  }

  #takeDamage(): unknown {
    const damage = this.#damage;
    this.#damage = null;
    return damage;
  }

  #failed(error: unknown): void {
    const trouble = troubleOf(error);
    this.#options.metrics.copyFailed(trouble);
    if (this.#trouble === trouble) return;
    this.#trouble = trouble;
    this.#options.log.warn({ err: error, trouble }, 'the copy for analytics stops until its next try');
  }
}
