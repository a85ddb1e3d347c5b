// The PostgreSQL of development and tests, in a data folder, where DATABASE_URL is not set. Production never loads it.
import { randomUUID } from 'node:crypto';
import { readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { mkdir, realpath, utimes } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { hasCode } from '../../platform/errors.ts';
import type { Log } from '../../platform/observability/log.ts';
import {
  chooseRunner,
  type ClusterPlace,
  ensureCluster,
  ensureOwner,
  placeIn,
  readPassword,
} from './postgresCluster.ts';
import {
  findOrStartServer,
  findPostgresBinaries,
  processIsAlive,
  type ServerTools,
  serverUrl,
  stopServer,
} from './postgresServer.ts';

/** PostgreSQL still lists a connection for a moment after it was closed. */
const goneWithinMs = 1_000;
/** For a server that does not respond. */
const farewellMs = 10_000;

export interface EmbeddedPostgresOptions {
  /** Created when missing. Processes that share the folder share one server. */
  dataDir: string;
  log: Pick<Log, 'info' | 'warn'>;
  /** PostgreSQL settings for a server that this call starts, such as `{ fsync: 'off' }` in tests. */
  settings?: Record<string, string>;
}

export interface EmbeddedPostgres {
  /** With the superuser `postgres` and the database `postgres`. */
  url: string;
  /** Close your own connections first: the server stops unless another process is connected. */
  stop(): Promise<void>;
}

/**
 * Starts the server of this folder, or joins the running one. The server is a daemon: neither a Ctrl-C nor the death of
 * this process ends it. So the service can drain, and the next start finds the server or recovers its data
 * (docs/decisions/embedded-postgres.md).
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  await mkdir(options.dataDir, { recursive: true });
  const place = placeIn(await realpath(options.dataDir));
  const binaries = await findPostgresBinaries();
  return await withFolderLock(place.lock, async () => {
    const runner = await chooseRunner({ ...place, initdb: binaries.initdb });
    const tools: ServerTools = { binaries, runner, settings: options.settings ?? {} };
    await ensureCluster(place, { initdb: binaries.initdb, runner, sync: tools.settings['fsync'] !== 'off' });
    await ensureOwner(place, runner);
    const password = await readPassword(place);
    const { port, joined } = await findOrStartServer(place, password, tools);
    options.log.info({ port, folder: place.cluster, joined }, 'embedded PostgreSQL is ready');
    const url = serverUrl(port, password);
    const presence = await announcePresence(url, options.log);
    return { url, stop: once(() => leave({ place, tools, url, presence, log: options.log })) };
  });
}

/** pg's types lack the two methods. */
type Presence = pg.Client & { ref(): void; unref(): void };

/** One idle connection for each start shows other processes, in pg_stat_activity, that this one still needs the server. */
async function announcePresence(url: string, log: EmbeddedPostgresOptions['log']): Promise<Presence> {
  const client = new pg.Client({ connectionString: url, application_name: 'embedded-postgres presence' }) as Presence;
  client.on('error', (error) => {
    log.warn({ err: error }, 'embedded PostgreSQL closed a connection');
  });
  await client.connect();
  // The connection must not keep a process alive that has nothing else to do.
  client.unref();
  return client;
}

interface Membership {
  place: ClusterPlace;
  tools: ServerTools;
  url: string;
  presence: Presence;
  log: EmbeddedPostgresOptions['log'];
}

async function leave({ place, tools, url, presence, log }: Membership): Promise<void> {
  presence.ref();
  await Promise.race([presence.end().catch(() => undefined), pause(farewellMs, undefined, { ref: false })]);
  await withFolderLock(place.lock, async () => {
    const others = await countOthers(url);
    if (others === null) return;
    if (others > 0) {
      log.info({ connections: others, folder: place.cluster }, 'embedded PostgreSQL stays: others are connected');
      return;
    }
    await stopServer(place, tools);
    log.info({ folder: place.cluster }, 'embedded PostgreSQL stopped');
  });
}

/** Null when no server responds: then there is nothing to stop. */
async function countOthers(url: string): Promise<number | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 60_000, query_timeout: 60_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    for (let waitedMs = 0; ; waitedMs += 100) {
      const others = await countOtherClients(client);
      if (others === 0 || waitedMs >= goneWithinMs) return others;
      await pause(100);
    }
  } catch (error) {
    if (hasCode(error, 'ECONNREFUSED')) return null;
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function countOtherClients(client: pg.Client): Promise<number> {
  const counted = await client.query<{ others: number }>(
    `select count(*)::int as others from pg_stat_activity
     where backend_type = 'client backend' and pid <> pg_backend_pid()`,
  );
  return counted.rows[0]?.others ?? 0;
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => (done ??= work());
}

// Mutual exclusion between processes that share a data folder: a file that names its holder, who touches it while working.

const touchEveryMs = 2_000;
/** A holder that has not touched its file for this long is gone, even when its pid now belongs to another process. */
const staleAfterMs = 20_000;
const pollEveryMs = 50;
const waitMs = 120_000;

/** Runs the work while no other process runs work under the same file. Waits at most two minutes for its turn. */
export async function withFolderLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const token = `${String(process.pid)} ${randomUUID()}\n`;
  await acquire(file, token);
  const touching = setInterval(() => {
    // A person may delete the lock file by hand: the work continues.
    void utimes(file, new Date(), new Date()).catch(() => undefined);
  }, touchEveryMs);
  touching.unref();
  try {
    return await work();
  } finally {
    clearInterval(touching);
    if (readHolder(file) === token) unlinkSync(file);
  }
}

async function acquire(file: string, token: string): Promise<void> {
  const deadline = Date.now() + waitMs;
  while (!create(file, token)) {
    removeStale(file);
    if (Date.now() > deadline) {
      const holder = readHolder(file)?.split(' ')[0] ?? 'unknown';
      throw new Error(
        `process ${holder} has held ${file} for ${String(waitMs / 1000)} s; delete the file if no such service runs`,
      );
    }
    await pause(pollEveryMs);
  }
}

/** False when the file already exists. */
function create(file: string, content: string): boolean {
  try {
    writeFileSync(file, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/**
 * Works under a guard file: of two processes that remove a stale lock, the slower would remove the new lock of the
 * other.
 */
function removeStale(file: string): void {
  if (!isStale(file)) return;
  const guard = `${file}.removing`;
  if (!create(guard, '')) {
    if (ageMs(guard) > staleAfterMs) unlinkSync(guard);
    return;
  }
  try {
    if (isStale(file)) unlinkSync(file);
  } finally {
    unlinkSync(guard);
  }
}

function isStale(file: string): boolean {
  const holder = readHolder(file);
  if (holder === null) return false;
  const pid = Number.parseInt(holder, 10);
  // Between its creation and its first write the file is empty: then only its age counts.
  return (pid > 0 && !processIsAlive(pid)) || ageMs(file) > staleAfterMs;
}

function ageMs(file: string): number {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? 0 : Date.now() - stat.mtimeMs;
}

function readHolder(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}
