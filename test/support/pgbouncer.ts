// Starts PgBouncer, where it is installed, in front of a test's PostgreSQL for one role.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { listens } from './listens.ts';
import { unusedPort } from './unusedPort.ts';

/** Debian's package puts the program where the path of a normal user does not lead. */
const searchPath = `${process.env['PATH'] ?? ''}:/usr/sbin`;
const nobody = 65_534;

export function pgbouncerIsInstalled(): boolean {
  return spawnSync('pgbouncer', ['--version'], { env: { PATH: searchPath } }).status === 0;
}

export type PoolMode = 'session' | 'transaction';

export interface Pooler {
  /** The same database and role by way of the pooler. */
  url: string;
  stop(): Promise<void>;
}

/** `url` names the role and its password. The settings are those of docs/operating/pooler.md, "Settings". */
export async function startPgbouncer(url: string, mode: PoolMode): Promise<Pooler> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pgbouncer-'));
  const port = await unusedPort();
  const { hostname, port: serverPort, username, password } = new URL(url);
  const file = (name: string, lines: string[]): string => {
    writeFileSync(path.join(folder, name), `${lines.join('\n')}\n`);
    return path.join(folder, name);
  };
  const users = file('users', [`"${username}" "${password}"`]);
  const settings = file('pgbouncer.ini', [
    ...['[databases]', `* = host=${hostname} port=${serverPort}`],
    ...['[pgbouncer]', 'listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir ='],
    ...['auth_type = trust', `auth_file = ${users}`, `pool_mode = ${mode}`, 'default_pool_size = 3'],
    'ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout',
  ]);
  chmodSync(folder, 0o755);
  // It refuses to run as root.
  const rights = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const child = spawn('pgbouncer', [settings], { env: { PATH: searchPath }, stdio: 'pipe', ...rights });
  let output = '';
  child.stderr.on('data', (text: Buffer) => void (output += String(text)));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  for (let tries = 0; !(await listens(port)); tries += 1) {
    if (tries > 100 || child.exitCode !== null) throw new Error(`PgBouncer does not listen:\n${output}`);
    await pause(50);
  }
  return {
    url: Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
