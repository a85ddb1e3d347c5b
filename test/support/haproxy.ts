// Starts HAProxy with deploy/haproxy.cfg as it is, in front of one process of the service or of a stand-in.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { projectFile } from '../../src/platform/projectRoot.ts';
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
  stop: () => Promise<void>;
}

/** `service` and `ops` are URLs of the process behind it. Resolves when the proxy listens. */
export async function startHaproxy({ service, ops }: { service: string; ops: string }): Promise<RunningProxy> {
  const folder = mkdtempSync(path.join(tmpdir(), 'haproxy-'));
  const port = await unusedPort();
  const env = {
    PATH: searchPath,
    HTTPS_BIND: `127.0.0.1:${port}`,
    CERTIFICATE: selfSigned(folder),
    SERVICE_ADDRESS: new URL(service).host,
    SERVICE_OPS_PORT: new URL(ops).port,
  };
  const child = spawn('haproxy', ['-db', '-f', haproxyConfiguration], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => void (output += String(text)));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  for (let tries = 0; !(await listens(port)); tries += 1) {
    if (tries > 100 || child.exitCode !== null) throw new Error(`HAProxy does not listen:\n${output}`);
    await pause(100);
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), 2_000);
    await ended;
    clearTimeout(late);
    rmSync(folder, { recursive: true, force: true });
  };
  return { url: `https://127.0.0.1:${port}`, port, pid: child.pid!, stop };
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

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
