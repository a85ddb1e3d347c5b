// The process: configuration → database → app → listen → drain on SIGTERM.
import type { RequestListener } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { warnOfDemoLogin } from './accounts/signupPolicy.ts';
import {
  composeDeps,
  composeStoreFinder,
  findAnalytics,
  type Observability,
  openObservability,
} from './compose/composeDeps.ts';
import { composeEdges } from './compose/composeEdges.ts';
import { openPreparedDatabase } from './compose/prepareDatabase.ts';
import { requireOpenSecrets } from './compose/tableFacts.ts';
import { readConfig, type Config } from './config.ts';
import type { Deps } from './deps.ts';
import type { DemoWorkspace } from './development/demoWorkspace.ts';
import { startHousekeeping } from './jobs/housekeeping.ts';
import { createOpsApi, type ProcessState } from './ops/opsApi.ts';
import { goesOn } from './platform/commandLine.ts';
import { askIdleConnections, pingDatabase } from './platform/database/database.ts';
import { listen, type Listener } from './platform/httpServer/httpServer.ts';
import type { FindStore } from './purchases/storeOpener.ts';

// V8's flags that a running process can set. `npm start` and the image pass two more to Node: --max-semi-space-size, with
// which more rows of an upload die young (a tenth of the processor time of small uploads, a fifth of large ones), and
// --v8-pool-size, because four helpers of the collector on two cores wait for each other. Figures:
// docs/decisions/v8-settings.md.
//
// The rows of an upload outlive a collection, because they wait for their transaction. V8 learns that and allocates them in
// the old generation, where garbage keeps garbage alive: a sixth of the processor time of an upload and 50 MiB.
setFlagsFromString('--no-allocation-site-pretenuring');
// In a parallel collection this thread waits for its helper, and the helper waits for a core where both cores are busy.
setFlagsFromString('--no-parallel-scavenge');
// Under load V8 lets the old generation grow to four times its living objects. With the flag it grows by half.
setFlagsFromString('--heap-growing-percent=50');

type Close = () => unknown;

/** Opens everything. Each part pushes its end to `closing` as it opens, so that a failed start cleans up too. */
async function start(config: Config, { log, tracing }: Observability, closing: Close[]): Promise<void> {
  const database = await openPreparedDatabase(config, log);
  closing.push(() => database.close(), askIdleConnections(database));
  const openAnalytics = await findAnalytics({ config, database, log });
  const findStore = await composeStoreFinder(config, log);
  const deps = composeDeps({ config, database, log, tracing, openAnalytics, findStore });
  closing.push(() => deps.analytics.close());
  closing.push(() => deps.campaigns.stop());
  closing.push(() => Promise.all([deps.keyUses.stop(), deps.issues.stop(), deps.quotas.stop()]));
  if (config.production) await checkAccess(deps);
  let publicUrl: string | null = null;
  const demo = await openDemo(config, deps);
  const { app, docs, stop } = await composeEdges({ config, deps, demo, publicUrl: () => publicUrl });
  closing.push(stop);
  let state: ProcessState = 'starting';
  const ops = createOpsApi({
    registry: deps.metrics.registry,
    pingDatabase: () => pingDatabase(database.pool),
    state: () => state,
    docs,
  });
  const opsListener = await listen(ops, { port: config.opsPort, host: config.opsHost }).catch(
    naming('OPS_HOST, OPS_PORT'),
  );
  closing.push(() => opsListener.drain(0));
  await startBackground({ config, deps, findStore }, closing);
  const { publicApi, adminApi } = config.serves;
  const publicListener = publicApi || adminApi ? await openPublic(app, config, closing) : null;
  state = 'serving';
  closing.push(() => (state = 'draining'));
  publicUrl = publicListener?.url ?? null;
  log.info({ role: config.role, url: publicListener?.url, ops: opsListener.url }, 'listening');
  if (publicListener) await greet({ config, demo, url: publicListener.url, opsUrl: opsListener.url });
}

interface Background {
  config: Config;
  deps: Deps;
  findStore: FindStore;
}

/** Housekeeping in every process, and the worker of the queue where ROLE runs jobs. */
async function startBackground({ config, deps, findStore }: Background, closing: Close[]): Promise<void> {
  const { pool, log, metrics, tracing } = deps;
  const { serves, eventRetentionDays } = config;
  const runsJobs = serves.jobs;
  closing.push(startHousekeeping({ pool, log, metrics, tracing, eventRetentionDays, runsJobs }));
  if (!runsJobs) return;
  // Loaded only where jobs run: the queue, the mailer and the tasks take 30 MiB.
  const { composeTasks } = await import('./compose/composeTasks.ts');
  const { startWorker } = await import('./jobs/worker.ts');
  const tasks = await composeTasks({ config, database: { pool }, log, findStore, metrics, tracing });
  closing.push(await startWorker({ pool, log, tasks }));
}

async function openPublic(app: RequestListener, config: Config, closing: Close[]): Promise<Listener> {
  const listener = await listen(app, config).catch(naming('HOST, PORT'));
  closing.push(() => listener.drain(config.shutdownGraceSeconds * 1_000));
  // /readyz responds 503 by now: a proxy that asks it sends new requests elsewhere before the port closes.
  closing.push(() => pause(config.drainDelaySeconds * 1_000));
  return listener;
}

/** In production: what the keys must open, and what nobody may enter. */
async function checkAccess(deps: Deps): Promise<void> {
  await requireOpenSecrets(deps, deps.log);
  await warnOfDemoLogin(deps);
}

/** Null in production, which loads nothing of src/development, and where one process does not serve both contracts. */
async function openDemo(
  { production, serves }: Config,
  { adminPool, encryption }: Deps,
): Promise<DemoWorkspace | null> {
  if (production || !serves.publicApi || !serves.adminApi) return null;
  const { ensureDemoWorkspace } = await import('./development/demoWorkspace.ts');
  return ensureDemoWorkspace(adminPool, encryption);
}

/** The system's error about an address names no setting. */
const naming = (settings: string) => (error: Error) => {
  throw new Error(`${settings}: ${error.message}`, { cause: error });
};

async function closeAll(closing: Close[]): Promise<void> {
  for (let close = closing.pop(); close; close = closing.pop()) await close();
}

interface Greeting {
  config: Config;
  demo: DemoWorkspace | null;
  url: string;
  opsUrl: string;
}

async function greet({ config, demo, url, opsUrl }: Greeting): Promise<void> {
  if (config.role === 'api') {
    process.stderr.write(
      'Warning: ROLE=api goes with the next release. Use ROLE=ingest and ROLE=admin, or ROLE=all.\n',
    );
  }
  if (!config.signatureRequired && config.serves.publicApi) {
    process.stderr.write('Warning: SESSION_SIGNATURE=optional, so uploads without a signature are accepted.\n');
  }
  if (!demo) return;
  const { welcome } = await import('./development/welcome.ts');
  const { dashboardOrigins: origins, signatureRequired: signed } = config;
  const dashboardUrl = config.servesDashboard ? `${url}/admin/` : null;
  process.stdout.write(welcome({ url, opsUrl, origins, dashboardUrl, demo, signed, now: new Date() }));
}

/** A failed write to standard output must not end the process: its reader may be gone, or the disk full. */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

async function main(): Promise<void> {
  outliveReaders();
  const config = readConfig(process.env);
  const observability = await openObservability(config);
  const { log, tracing } = observability;
  // The last to close: what closes before it may end spans.
  const closing: Close[] = [() => tracing?.close()];
  const started = start(config, observability, closing);
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= started.catch(() => undefined).then(() => closeAll(closing)));
  // Registered before the start ends: a Ctrl-C during the start must not leave an embedded PostgreSQL running. Not `once`:
  // npm repeats the terminal's signal, and a second one must not end the drain that the first one began.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopped) return;
      log.info({ signal }, 'draining');
      void stop()
        .then(() => log.info('stopped'))
        // The service has closed everything of its own. A handle that a library left open must not keep the process alive.
        .then(() => process.exit(0), fail);
    });
  }
  try {
    await started;
  } catch (error) {
    await stop();
    throw error;
  }
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  // A handle that a library left open must not keep the process alive.
  process.exit(1);
}

const usage = `Usage: npm start
In the image: node dist/src/main.js

Runs the service until SIGTERM or SIGINT. Its settings are environment variables: .env.example has all of them, and
docs/operating/production-settings.md those that production needs.
`;

if (goesOn(usage)) await main().catch(fail);
