// Builds the one Deps record from a configuration and an open database, for the process and for tests alike.
import { createAccessTokens } from '../accounts/accessToken.ts';
import { createAttempts, defaultAttemptLimits, type AttemptLimits } from '../accounts/attempts.ts';
import { demoLogin } from '../accounts/demoLogin.ts';
import { createPasswordTokens } from '../accounts/passwordTokens.ts';
import { createPasswords } from '../accounts/passwords.ts';
import { createRefreshTokens } from '../accounts/refreshTokens.ts';
import type { AnalyticsEngine } from '../analytics/engine/engine.ts';
import { offEngine } from '../analytics/engine/offEngine.ts';
import { tracedEngine } from '../analytics/engine/tracedEngine.ts';
import { createIssueCounts } from '../analytics/issues/issueCounts.ts';
import { saveIssues } from '../analytics/issues/issuesStore.ts';
import { createCampaignDirectory, type CampaignDirectory } from '../campaigns/campaignDirectory.ts';
import { findDeliverableCampaigns } from '../campaigns/campaignsStore.ts';
import type { Config } from '../config.ts';
import type { Deps } from '../deps.ts';
import { DeviceNodes } from '../devices/deviceNodes.ts';
import type { Database } from '../platform/database/database.ts';
import { subscribe } from '../platform/database/notifications.ts';
import { retryConflicts } from '../platform/database/retryConflicts.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { createEncryption } from '../platform/encryption.ts';
import { traceStatements } from '../platform/database/tracedStatements.ts';
import type { Log } from '../platform/observability/log.ts';
import { createMetrics, type Metrics } from '../platform/observability/metrics.ts';
import type { Tracing } from '../platform/observability/tracing/tracing.ts';
import { createNotificationReceiver } from '../purchases/notificationReceiver.ts';
import type { FindStore } from '../purchases/storeOpener.ts';
import { storeTransactionReport, wakeReport } from '../purchases/storeTransactionReport.ts';
import { createQuotas, noQuotas, type Quotas } from '../quotas/quotas.ts';
import { findReporters, findStandings, settleUses } from '../quotas/quotasStore.ts';
import type { StoreBatch } from '../sessions/writer/groupCommit.ts';
import { createBatchStore } from '../sessions/writer/storeBatch.ts';
import { storeBesideAwayNodes } from '../sessions/writer/storeBesideAwayNodes.ts';
import { storeWithinQuotas } from '../sessions/writer/storeWithinQuotas.ts';
import { traceUploads } from '../sessions/writer/tracedUploads.ts';
import { UploadWriter } from '../sessions/writer/uploadWriter.ts';
import { findNonceBodies } from '../sessions/writer/uploadsStore.ts';
import { createApplicationDirectory } from '../workspace/applicationDirectory.ts';
import { findApplicationByKey, saveKeyUses } from '../workspace/applicationsStore.ts';
import { createKeyUses } from '../workspace/keyUses.ts';
import type { OpenAnalytics } from './composeAnalytics.ts';

const mebi = 1_048_576;
export const batching = {
  readAtOnce: 16,
  lanes: 2,
  slowMillis: 50,
  batchUploads: 64,
  batchEvents: 5_000,
  batchCharacters: 4 * mebi,
  queueCharacters: 2 * mebi,
  queueMillis: 2_000,
  /** After this time a client gets 503, even if the database does not respond. */
  answerWithinMillis: 5_000,
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
  patience?: Pick<typeof batching, 'queueMillis' | 'answerWithinMillis'>;
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
    answerWithinMillis: bounds.answerWithinMillis,
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
