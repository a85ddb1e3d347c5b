// Builds the one Deps record from a configuration and an open database, for the process and for tests alike.
import { access, constants, mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { type AttemptLimits, createAttempts, defaultAttemptLimits } from '../accounts/attempts.ts';
import { createAccessTokens } from '../accounts/authenticate.ts';
import { createPasswordTokens } from '../accounts/mailedTokens.ts';
import { createPasswords } from '../accounts/passwords.ts';
import { demoLogin } from '../accounts/signupPolicy.ts';
import { createRefreshTokens } from '../accounts/startLogin.ts';
import { createDatabaseEngine } from '../analytics/engine/databaseEngine.ts';
import { type AnalyticsEngine, measuredEngine, offEngine, tracedEngine } from '../analytics/engine/engine.ts';
import { createIssueCounts, saveIssues } from '../analytics/issueCounts.ts';
import { type CampaignDirectory, createCampaignDirectory } from '../campaigns/campaignDirectory.ts';
import { findDeliverableCampaigns } from '../campaigns/heldCampaign.ts';
import type { Config } from '../config.ts';
import type { Deps } from '../deps.ts';
import { DeviceNodes } from '../devices/deviceKey.ts';
import type { Database } from '../platform/database/database.ts';
import { subscribe } from '../platform/database/notifications.ts';
import { inTransaction, retryConflicts } from '../platform/database/transaction.ts';
import { createEncryption } from '../platform/encryption.ts';
import { createLog, type Log } from '../platform/observability/log.ts';
import { createMetrics, type Metrics } from '../platform/observability/metrics.ts';
import { traceStatements, type Tracing } from '../platform/observability/tracing/tracing.ts';
import { createNotificationReceiver } from '../purchases/receiveStoreNotification.ts';
import { storeTransactionReport, wakeReport } from '../purchases/reportStoreTransactions.ts';
import { createStoreFinder, type FindStandIn, type FindStore, type StoreOptions } from '../purchases/storeOpener.ts';
import { createQuotas, noQuotas, type Quotas } from '../quotas/quotas.ts';
import { findReporters, findStandings, settleUses } from '../quotas/quotasStore.ts';
import { storeBesideAwayNodes, storeWithinQuotas, traceUploads, UploadWriter } from '../sessions/reportSessions.ts';
import type { StoreBatch } from '../sessions/writer/groupCommit.ts';
import { createBatchStore } from '../sessions/writer/storeBatch.ts';
import { findNonceBodies } from '../sessions/writer/uploadsStore.ts';
import {
  createApplicationDirectory,
  createKeyUses,
  findApplicationByKey,
  saveKeyUses,
} from '../workspace/applicationDirectory.ts';

const mebi = 1_048_576;
export const batching = {
  readAtOnce: 16,
  transactionsAtOnce: 2,
  slowMillis: 50,
  batchUploads: 64,
  batchEvents: 5_000,
  batchCharacters: 4 * mebi,
  queueCharacters: 2 * mebi,
  queueMillis: 2_000,
  /** After this time a client gets 503, even if the database does not respond. */
  respondWithinMillis: 5_000,
};

export interface Foundation {
  config: Pick<Config, 'encryptionKeys' | 'tokenKeys' | 'signatureRequired' | 'ingestQueueUploads' | 'signup'> &
    Partial<Pick<Config, 'production' | 'quota'>>;
  database: Database;
  log: Log;
  /** Default: none. */
  tracing?: Tracing | null;
  now?: () => Date;
  attemptLimits?: AttemptLimits;
  /** Default: 2 s in the queue, and 5 s until the response. */
  patience?: Pick<typeof batching, 'queueMillis' | 'respondWithinMillis'>;
  /** Stores a batch of uploads. Default: in the database. */
  storeBatch?: StoreBatch;
  /** Whose signatures count in a notification. Default: nobody's, and each notification is 503. */
  findStore?: FindStore;
  /** Opens the engine of the reads of analytics. Default: none, as with ANALYTICS=off. */
  openAnalytics?: OpenAnalytics;
}

export function composeDeps(foundation: Foundation): Deps {
  const { config, database, log, now = () => new Date(), attemptLimits = defaultAttemptLimits } = foundation;
  const { pool, adminPool, prisma } = database;
  const { findStore = async () => null, tracing = null } = foundation;
  const metrics = createMetrics();
  metrics.observePool(pool);
  const traces = openTraces({ pool, metrics, tracing });
  const bounds = { ...batching, ...foundation.patience, queueSize: config.ingestQueueUploads };
  const quotas = openQuotas(pool, { quota: config.quota, log, metrics });
  const nodes = new DeviceNodes(pool, log);
  const within = storeWithinQuotas(foundation.storeBatch ?? createBatchStore(pool, nodes), quotas);
  const storeBatch = storeBesideAwayNodes(within, nodes);
  const uploads = new UploadWriter(traces?.store(storeBatch) ?? storeBatch, bounds, metrics);
  const encryption = createEncryption(...config.encryptionKeys);
  return {
    log,
    metrics,
    tracing,
    pool,
    adminPool,
    prisma,
    encryption,
    ...credentialsOf(config),
    attempts: createAttempts({ adminPool, now }, attemptLimits),
    signup: config.signup,
    webhookRules: { production: config.production ?? true },
    applications: createApplicationDirectory((key) => findApplicationByKey(pool, encryption, key)),
    keyUses: createKeyUses({ save: (uses) => saveKeyUses(pool, uses), log }),
    campaigns: openCampaignDirectory(pool, { log, now, metrics }),
    analytics: openEngine(foundation, metrics),
    uploads: traces?.uploads(uploads) ?? uploads,
    issues: createIssueCounts({ save: (issues) => saveIssues(pool, issues), log }),
    nonceTaken: nonceLookUp(pool),
    quotas,
    nodes,
    storeTransactions: transactionReports(pool, { now, log }),
    storeNotifications: createNotificationReceiver({ pool, log, metrics, findStore, now }),
    signatureRequired: config.signatureRequired,
    respondWithinMillis: bounds.respondWithinMillis,
    now,
  };
}

/** What logins are made of and checked with. */
function credentialsOf({ tokenKeys, production }: Foundation['config']) {
  return {
    accessTokens: createAccessTokens(...tokenKeys),
    refreshTokens: createRefreshTokens(...tokenKeys),
    passwords: createPasswords(production ? demoLogin.password : undefined),
    passwordTokens: createPasswordTokens(...tokenKeys),
  };
}

function openEngine({ openAnalytics, tracing }: Foundation, metrics: Metrics): AnalyticsEngine {
  const engine = openAnalytics?.(metrics) ?? offEngine;
  return tracing ? tracedEngine(engine, tracing) : engine;
}

interface Traces {
  pool: Database['pool'];
  metrics: Metrics;
  tracing: Tracing | null;
}

/** Null without tracing: neither the pool nor the writer is wrapped then. */
function openTraces({ pool, metrics, tracing }: Traces): ReturnType<typeof traceUploads> | null {
  if (!tracing) return null;
  traceStatements(pool, tracing);
  metrics.observeSpans(() => tracing.counts());
  return traceUploads(tracing);
}

function transactionReports(
  pool: Database['pool'],
  { now, log }: Pick<Foundation, 'log'> & { now: () => Date },
): Deps['storeTransactions'] {
  return async (report, limits) => {
    const stored = await retryConflicts(() =>
      inTransaction(pool, (transaction) => storeTransactionReport(transaction, report, now()), limits),
    );
    // Everything is stored: a worker finds what has no job within 15 seconds.
    await wakeReport(pool, stored).catch((error: unknown) => log.warn({ err: error }, 'look-ups wait for a worker'));
    return stored.added;
  };
}

function openQuotas(
  pool: Database['pool'],
  { quota, log, metrics }: { quota: Config['quota'] | undefined; log: Log; metrics: Metrics },
): Quotas {
  if (!quota) return noQuotas;
  const settle: Parameters<typeof createQuotas>[0]['settle'] = (uses) => settleUses(pool, uses);
  return createQuotas({
    quota,
    settle,
    findStandings: (deviceKeys) => findStandings(pool, deviceKeys),
    findReporters: (deviceKeys) => findReporters(pool, deviceKeys),
    log,
    metrics,
  });
}

function nonceLookUp(pool: Database['pool']): Deps['nonceTaken'] {
  return async (nonce) => {
    const [body] = await findNonceBodies(pool, [nonce]);
    return body !== null && body !== undefined && !body.equals(nonce.bodyHash);
  };
}

/** Memory also holds campaigns that ended this recently, for a clock that is set back, and for another process's clock. */
const endedBeforeMillis = 24 * 60 * 60_000;

function openCampaignDirectory(
  pool: Database['pool'],
  { log, now, metrics }: { log: Log; now: () => Date; metrics: Metrics },
): CampaignDirectory {
  return createCampaignDirectory({
    async read(applicationId) {
      const endedBefore = new Date(now().getTime() - endedBeforeMillis);
      try {
        const campaigns = await findDeliverableCampaigns(pool, { applicationId, endedBefore });
        metrics.configRead('success');
        return campaigns;
      } catch (error) {
        metrics.configRead('failure');
        throw error;
      }
    },
    subscribe: (handlers) => subscribe({ ...handlers, connection: pool.options, channel: 'campaigns_changed', log }),
  });
}

// Chooses the engine of the reads of analytics from the configuration, for the process.

export interface AnalyticsFoundation {
  config: Pick<Config, 'analytics' | 'analyticsDir' | 'analyticsMemoryMib'>;
  database: Pick<Database, 'pool'>;
  log: Log;
}

/** More threads than these would only wait for each other's memory. */
const mostThreads = 4;

export type OpenAnalytics = (metrics: Metrics) => AnalyticsEngine;

/** A copy without a folder would be no reason to refuse uploads: the process warns, and runs without it. */
export async function findAnalytics({ config, database, log }: AnalyticsFoundation): Promise<OpenAnalytics> {
  const { analytics, analyticsMemoryMib: memoryMib } = config;
  if (analytics === 'off') return () => offEngine;
  const connection = database.pool.options;
  if (analytics === 'database') return (metrics) => measuredEngine(createDatabaseEngine({ connection, log }), metrics);
  const dir = path.resolve(config.analyticsDir);
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await access(dir, constants.W_OK);
  } catch (error) {
    log.warn({ err: error, dir }, 'ANALYTICS_DIR cannot be written: the reads of analytics are off');
    return () => offEngine;
  }
  // DuckDB takes 30 MiB: only a process that has a copy loads it.
  const { EmbeddedEngine } = await import('../analytics/engine/embeddedEngine.ts');
  const threads = Math.min(availableParallelism(), mostThreads);
  return (metrics) => new EmbeddedEngine({ connection, dir, memoryMib, threads, log, metrics });
}

// Finds the store by the configuration: whose signatures count, and whom look-ups ask.

export type DemoConfig = Partial<Pick<Config, 'demoStoreFile'>>;

/** The store that look-ups ask and whose notifications are taken. Throws when a file cannot be used. */
export async function composeStoreFinder(config: StoreOptions & DemoConfig, log: Log): Promise<FindStore> {
  return createStoreFinder(config, { log, findStandIn: await composeStandIn(config) });
}

/** The store that a running demo brings. Production configures no such file, and loads nothing of src/development. */
async function composeStandIn({ demoStoreFile }: DemoConfig): Promise<FindStandIn | null> {
  if (demoStoreFile === undefined) return null;
  const { standInServer } = await import('../development/storeStandIn.ts');
  return () => standInServer(demoStoreFile);
}

// Opens the log, and tracing where a collector is configured. Log lines inside a span carry its ids.

export interface Observability {
  log: Log;
  /** Null where it is off: the SDK is not loaded then. */
  tracing: Tracing | null;
}

export async function openObservability({ logLevel, tracing: settings }: Config): Promise<Observability> {
  if (!settings) return { log: createLog(logLevel), tracing: null };
  let tracing: Tracing | null = null;
  const log = createLog(logLevel, undefined, () => tracing?.lineFields());
  const { createTracing } = await import('../platform/observability/tracing/sdkTracing.ts');
  tracing = createTracing(settings, log);
  return { log, tracing };
}
