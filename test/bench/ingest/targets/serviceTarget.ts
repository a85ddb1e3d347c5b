// (P) The built service, started as in production, but a signature is optional and no quota is met.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import path from 'node:path';
import { projectRoot } from '../../../../src/platform/projectRoot.ts';
import { keyList } from '../../../support/keys.ts';
import { startFlags } from '../../../support/startFlags.ts';
import { encryptionKey } from './benchDatabase.ts';
import type { Target } from './target.ts';

export interface ServiceOptions {
  letter: string;
  name: string;
  databaseUrl: string;
  /** A built checkout; this one unless given. */
  folder?: string;
  /** Node writes a .cpuprofile into this folder when the service ends. */
  profileDir?: string;
  env?: Record<string, string>;
  /** Added to the niceness of this process: 19 gets least of the processor. */
  nice?: number;
}

/** A target whose admin API is served by another process than its uploads. */
export interface TargetApart extends Target {
  adminUrl: string;
}

export async function startServiceTarget(options: ServiceOptions): Promise<Target> {
  const { letter, name, databaseUrl, folder = projectRoot, profileDir, env = {}, nice = 0 } = options;
  const profiling = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`];
  const node = [process.execPath, ...startFlags, ...profiling, path.join(folder, 'dist', 'src', 'main.js')];
  // In the session of the bench: the kernel weighs the processes of one session against each other by their niceness.
  const child = spawn('nice', ['-n', String(nice), ...node], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...serviceEnv(databaseUrl), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  const url = await listening(createInterface(child.stdout)).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { letter, name, urls: [url], pids: [child.pid!], databaseUrl, stop };
}

/** Uploads in one process, and beside it, at `nice 10`, one with the admin API and its copy and one with the jobs. */
export async function startApart(options: ServiceOptions): Promise<TargetApart> {
  const env = { ...options.env };
  const ingest = { ...options, env: { ...env, ROLE: 'ingest' } };
  const beside = ['admin', 'worker'].map((ROLE) => ({
    ...options,
    profileDir: undefined,
    nice: 10,
    env: { ...env, ROLE },
  }));
  const [uploads, admin, ...others] = await startAll([ingest, ...beside]);
  const stop = async (): Promise<void> => {
    await Promise.all([uploads!, admin!, ...others].map((each) => each.stop()));
  };
  return {
    ...uploads!,
    adminUrl: admin!.urls[0]!,
    pids: [uploads!, admin!, ...others].flatMap(({ pids }) => pids),
    stop,
  };
}

/** One after the other. All that have started end where one fails. */
async function startAll(all: ServiceOptions[]): Promise<Target[]> {
  const started: Target[] = [];
  try {
    for (const options of all) started.push(await startServiceTarget(options));
  } catch (error) {
    await Promise.all(started.map((target) => target.stop()));
    throw error;
  }
  return started;
}

/** Starts several processes on one database, as behind a load balancer. */
export async function startServices(options: ServiceOptions, count: number): Promise<Target> {
  const services = await startAll(Array.from({ length: count }, () => options));
  const stop = async (): Promise<void> => void (await Promise.all(services.map((service) => service.stop())));
  const { letter, name, databaseUrl } = options;
  const [urls, pids] = [services.flatMap(({ urls }) => urls), services.flatMap(({ pids }) => pids)];
  return { letter, name, urls, pids, databaseUrl, stop };
}

function serviceEnv(databaseUrl: string): Record<string, string> {
  return {
    NODE_ENV: 'production',
    DRAIN_DELAY_SECONDS: '0',
    DATABASE_URL: databaseUrl,
    HOST: '127.0.0.1',
    PORT: '0',
    OPS_PORT: '0',
    SESSION_SIGNATURE: 'optional',
    // Unsigned uploads are counted as in production. At the default, the phases of one run would use the hour's quota up.
    QUOTA_MIB_PER_HOUR: '1048576',
    QUOTA_SIGNED_MIB_PER_HOUR: '1048576',
    SIGNUP: 'open',
    ENCRYPTION_KEY: encryptionKey.toString('base64'),
    TOKEN_KEY: keyList('token'),
    DASHBOARD_URL: 'https://dashboard.example',
    SMTP_URL: 'smtp://127.0.0.1:9',
    // The copy for analytics is measured apart, on the same cores it takes its share.
    ANALYTICS: process.env['BENCH_ANALYTICS'] ?? 'off',
  };
}

function listening(lines: ReturnType<typeof createInterface>): Promise<string> {
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      // Node's own output, such as that of --trace-gc, is not a line of the log.
      const { msg, url } = line.startsWith('{') ? (JSON.parse(line) as { msg?: string; url?: string }) : {};
      if (msg === 'listening') resolve(url ?? '');
      else process.stderr.write(`${line}\n`);
    });
    lines.on('close', () => reject(new Error('the service ended before it listened')));
  });
}
