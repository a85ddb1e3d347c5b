// Starts HAProxy with deploy/haproxy.cfg as it is, in front of the processes of both roles or of their stand-ins.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { listens } from './listens.ts';
import { unusedPort } from './unusedPort.ts';

export const haproxyConfiguration = projectFile('deploy/haproxy.cfg');

/** Debian's package puts the program where the path of a normal user does not lead. */
const searchPath = `${process.env['PATH'] ?? ''}:/usr/sbin`;

export function haproxyIsInstalled(): boolean {
  return spawnSync('haproxy', ['-v'], { env: { PATH: searchPath } }).status === 0;
}

export interface RunningProxy {
  url: string;
  port: number;
  pid: number;
  counts: () => Promise<ServerCounts[]>;
  stop: () => Promise<void>;
}

/** The URLs of a process behind it. */
export interface Behind {
  service: string;
  ops: string;
}

/** A process with ROLE=all may be both. */
export interface BehindByRole {
  ingest: Behind;
  admin: Behind;
}

/**
 * Resolves when the proxy listens. With further processes of ingest it reads a copy of the file, to which the lines are
 * added that the file asks for, and a socket that tells what it has seen.
 */
export async function startHaproxy({ ingest, admin }: BehindByRole, further: Behind[] = []): Promise<RunningProxy> {
  const folder = mkdtempSync(path.join(tmpdir(), 'haproxy-'));
  const port = await unusedPort();
  const env = {
    PATH: searchPath,
    HTTPS_BIND: `127.0.0.1:${port}`,
    CERTIFICATE: selfSigned(folder),
    INGEST_ADDRESS: new URL(ingest.service).host,
    INGEST_OPS_PORT: new URL(ingest.ops).port,
    ADMIN_ADDRESS: new URL(admin.service).host,
    ADMIN_OPS_PORT: new URL(admin.ops).port,
  };
  const file = further.length > 0 ? withFurther(folder, further) : haproxyConfiguration;
  const child = spawn('haproxy', ['-db', '-f', file], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => void (output += String(text)));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  for (let tries = 0; !(await listens(port)); tries += 1) {
    if (tries > 600 || child.exitCode !== null) {
      child.kill('SIGKILL');
      throw new Error(`HAProxy does not listen:\n${output}`);
    }
    await pause(100);
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), 2_000);
    await ended;
    clearTimeout(late);
    rmSync(folder, { recursive: true, force: true });
  };
  const counts = (): Promise<ServerCounts[]> => readCounts(path.join(folder, 'stats'));
  return { url: `https://127.0.0.1:${port}`, port, pid: child.pid!, counts, stop };
}

function withFurther(folder: string, further: Behind[]): string {
  const lines = further.map(
    ({ service, ops }, at) => `\n  server ingest${at + 2} ${new URL(service).host} port ${new URL(ops).port}`,
  );
  const text = readFileSync(haproxyConfiguration, 'utf8')
    .replace(/^global$/m, `$&\n  stats socket ${path.join(folder, 'stats')}`)
    .replace(/^ {2}server ingest1 .*$/m, `$&${lines.join('')}`);
  const file = path.join(folder, 'haproxy.cfg');
  writeFileSync(file, text);
  return file;
}

/** What the proxy counted for one process of ingest. */
export interface ServerCounts {
  name: string;
  up: boolean;
  responses: number;
  /** Refused connections and responses that broke off, and the requests that another process got in their place. */
  failures: number;
}

/** With further processes alone. */
async function readCounts(socketFile: string): Promise<ServerCounts[]> {
  const socket = connect(socketFile);
  socket.end('show stat\n');
  let csv = '';
  for await (const piece of socket) csv += String(piece);
  const [head, ...rows] = csv.replace(/^# /, '').trim().split('\n');
  const at = (name: string): number => head!.split(',').indexOf(name);
  return rows
    .map((row) => row.split(','))
    .filter((row) => row[at('pxname')] === 'ingest' && row[at('svname')] !== 'BACKEND')
    .map((row) => ({
      name: row[at('svname')]!,
      up: row[at('status')]!.startsWith('UP'),
      responses: Number(row[at('hrsp_2xx')]),
      failures: ['econ', 'eresp', 'wretr', 'wredis'].reduce((sum, name) => sum + Number(row[at(name)]), 0),
    }));
}

/** The file of a certificate and its key, for this run alone. */
function selfSigned(folder: string): string {
  const [key, certificate, both] = ['key', 'certificate', 'both'].map((name) => path.join(folder, `${name}.pem`));
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const names = ['-subj', '/CN=localhost', '-days', '2', '-keyout', key!, '-out', certificate!];
  execFileSync('openssl', [...request, ...names], { stdio: 'ignore' });
  writeFileSync(both!, readFileSync(certificate!, 'utf8') + readFileSync(key!, 'utf8'), { mode: 0o600 });
  return both!;
}
