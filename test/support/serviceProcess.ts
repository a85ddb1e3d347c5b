// Starts the built service as a process, watches it, ends it by its pid, and removes its leftovers.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { processIsAlive } from '../../src/development/embeddedPostgres/postgresServer.ts';
import { projectFile, projectRoot } from '../../src/platform/projectRoot.ts';
import { startFlags } from './startFlags.ts';

const waitMillis = 240_000;
const children = new Set<ChildProcess>();
const folders = new Set<string>();

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface RunningProcess {
  pid: number;
  stdout: () => string;
  stderr: () => string;
  ended: Promise<Ended>;
  /** Sends the signal and waits for the end. */
  end: (signal: NodeJS.Signals) => Promise<Ended>;
}

export interface RunningService extends RunningProcess {
  url: string;
  opsUrl: string;
}

/** Starts a program of dist/ with no environment beside `env`. */
export function runBuilt(program: string, env: Record<string, string>, words: string[] = []): RunningProcess {
  const file = projectFile('dist', program);
  if (!existsSync(file)) throw new Error(`${file} is missing: run "npm run build" first (npm test does)`);
  const child = spawn(process.execPath, [...startFlags, file, ...words], {
    cwd: projectRoot,
    // Without a copy for analytics, which only its own tests need.
    env: { PATH: process.env['PATH'], ANALYTICS: 'off', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => void (output[name] += text));
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      children.delete(child);
      resolve({ code, signal });
    });
  });
  const end = async (signal: NodeJS.Signals): Promise<Ended> => {
    child.kill(signal);
    return await within(ended, () => `the process did not end on ${signal}:\n${output.stdout}${output.stderr}`);
  };
  return { pid: child.pid!, stdout: () => output.stdout, stderr: () => output.stderr, ended, end };
}

/** Starts the service on free ports. Resolves when it listens and, where it serves both contracts outside production, has printed its welcome. */
export async function startService(env: Record<string, string>): Promise<RunningService> {
  const running = runBuilt('src/main.js', { PORT: '0', OPS_PORT: '0', ...env });
  const ready = () => {
    const line = running
      .stdout()
      .split('\n')
      .find((each) => each.includes('"msg":"listening"'));
    const silent = env['NODE_ENV'] === 'production' || ['ingest', 'admin'].includes(env['ROLE'] ?? '');
    const greeted = silent || /-d '[^']*'\n/.test(running.stdout());
    return line && greeted ? (JSON.parse(line) as { url: string; ops: string }) : undefined;
  };
  const { url, ops } = await until(ready, running);
  return { ...running, url, opsUrl: ops };
}

/** Waits for the first value. Fails when the process ends first, or after four minutes. */
export async function until<Value>(look: () => Value | undefined, running?: RunningProcess): Promise<Value> {
  let over = false;
  void running?.ended.then(() => (over = true));
  const text = () => (running ? `\n${running.stdout()}${running.stderr()}` : '');
  for (const start = Date.now(); Date.now() - start < waitMillis; await pause(20)) {
    const value = look();
    if (value !== undefined) return value;
    if (over) throw new Error(`the process ended instead:${text()}`);
  }
  throw new Error(`nothing came within ${waitMillis} ms:${text()}`);
}

async function within<Value>(work: Promise<Value>, problem: () => string): Promise<Value> {
  const late = new AbortController();
  const timeout = pause(waitMillis, undefined, { signal: late.signal }).then(() =>
    Promise.reject(new Error(problem())),
  );
  return await Promise.race([work, timeout]).finally(() => late.abort());
}

/** A new data folder, which `clearAway` removes. */
export function newDataDir(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-process-'));
  folders.add(folder);
  return folder;
}

/** The pid of the embedded PostgreSQL of a data folder; undefined when none runs. */
export function postgresPid(dataDir: string): number | undefined {
  const file = path.join(dataDir, 'postgres', 'postmaster.pid');
  const pid = existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : NaN;
  return pid > 0 && processIsAlive(pid) ? pid : undefined;
}

/** Connects as the service does: the server's own files contain the port. */
export async function queryEmbedded<Row extends pg.QueryResultRow>(dataDir: string, sql: string): Promise<Row[]> {
  const port = readFileSync(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[3]!;
  const password = readFileSync(path.join(dataDir, 'postgres.password'), 'utf8').trim();
  const client = new pg.Client({ host: '127.0.0.1', port: Number(port), user: 'postgres', password });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Kills by pid and waits until the process is gone. */
export async function killHard(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await until(() => (processIsAlive(pid) ? undefined : true));
}

/** Ends every process of this file that still runs, also after a failed test, then removes the folders. */
export async function clearAway(): Promise<void> {
  for (const child of children) child.kill('SIGKILL');
  await until(() => (children.size === 0 ? true : undefined));
  for (const folder of folders) {
    const pid = postgresPid(folder);
    if (pid !== undefined) {
      process.kill(pid, 'SIGINT');
      await until(() => (processIsAlive(pid) ? undefined : true));
    }
    rmSync(folder, { recursive: true, force: true });
  }
  folders.clear();
}
