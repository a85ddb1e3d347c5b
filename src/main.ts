// The process: configuration → database → app → listen → drain on SIGTERM.
import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { createApp } from './app.ts';
import { composeDeps } from './composeDeps.ts';
import { composeTasks } from './composeTasks.ts';
import { readConfig, type Config } from './config.ts';
import { openPreparedDatabase } from './prepareDatabase.ts';
import { createAdminApi } from './graphql/adminApi.ts';
import { loadPublicContract } from './http/contract.ts';
import { operations } from './http/operations.ts';
import { startHousekeeping } from './jobs/housekeeping.ts';
import { startWorker } from './jobs/worker.ts';
import { createOpsApi } from './ops/opsApi.ts';
import type { Database } from './platform/database.ts';
import { createEncryption } from './platform/encryption.ts';
import { listen } from './platform/httpServer.ts';
import { createLog, type Log } from './platform/log.ts';
import { projectFile } from './platform/projectRoot.ts';
import { welcome } from './welcome.ts';
import { ensureDemoWorkspace } from './workspace/demoWorkspace.ts';

// V8 learns that the rows of an upload outlive a collection, since they wait for their transaction, and then makes them
// in the old generation, where garbage keeps garbage alive: a sixth of the processor time of an upload and 50 MiB.
setFlagsFromString('--no-allocation-site-pretenuring');

type Close = () => unknown;

/** Opens everything; what is to be closed again is pushed to `closing` as it opens, so that a failed start cleans up too. */
async function start(config: Config, log: Log, closing: Close[]): Promise<void> {
  const database = await openPreparedDatabase(config, log);
  closing.push(() => database.close());
  const deps = composeDeps({ config, database, log });
  closing.push(() => deps.campaigns.stop());
  closing.push(() => deps.keyUses.stop());
  const sdl = await readFile(projectFile('schema.graphql'), 'utf8');
  const admin = await createAdminApi({ sdl, production: config.production, deps });
  closing.push(() => admin.stop());
  const contract = await loadPublicContract(projectFile('openapi.yaml'), Object.keys(operations));
  let draining = false;
  const ops = createOpsApi({
    registry: deps.metrics.registry,
    pingDatabase: () => database.pool.query('SELECT 1'),
    draining: () => draining,
  });
  const opsListener = await listen(ops, { port: config.opsPort, host: config.opsHost });
  closing.push(() => opsListener.drain(0));
  const { eventRetentionDays } = config;
  closing.push(startHousekeeping({ pool: database.pool, log, eventRetentionDays }));
  if (config.role !== 'api') {
    const tasks = await composeTasks({ config, database, log });
    closing.push(await startWorker({ pool: database.pool, log, tasks }));
  }
  const { trustedProxies, dashboardOrigins } = config;
  const app = createApp({ contract, admin, trustedProxies, dashboardOrigins }, deps);
  const publicListener = config.role === 'worker' ? null : await listen(app, config);
  closing.push(() => publicListener?.drain(config.shutdownGraceSeconds * 1_000));
  closing.push(() => (draining = true));
  log.info({ role: config.role, url: publicListener?.url, ops: opsListener.url }, 'listening');
  if (publicListener) await greet(config, database, publicListener.url);
}

async function closeAll(closing: Close[]): Promise<void> {
  for (let close = closing.pop(); close; close = closing.pop()) await close();
}

async function greet(config: Config, { prisma }: Database, url: string): Promise<void> {
  if (!config.signatureRequired) {
    process.stderr.write('Warning: SESSION_SIGNATURE=optional, so uploads without a signature are accepted.\n');
  }
  if (config.production) return;
  const demo = await ensureDemoWorkspace(prisma, createEncryption(config.encryptionKey));
  process.stdout.write(welcome({ url, demo, signed: config.signatureRequired, now: new Date() }));
}

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const closing: Close[] = [];
  const started = start(config, log, closing);
  // Registered while it starts: a Ctrl-C then must not leave an embedded PostgreSQL running.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      log.info({ signal }, 'draining');
      const stopped = started.catch(() => undefined).then(() => closeAll(closing));
      void stopped.then(() => log.info('stopped')).then(() => process.exit(0), fail);
    });
  }
  try {
    await started;
  } catch (error) {
    await closeAll(closing);
    throw error;
  }
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

await main().catch(fail);
