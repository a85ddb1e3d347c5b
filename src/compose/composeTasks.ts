// Builds the tasks of the job worker from a configuration and an open database, for the process and for tests alike.
import path from 'node:path';
import { createPasswordTokens } from '../accounts/mailedTokens.ts';
import { defaultMailBackoff } from '../accounts/mails.ts';
import type { Config } from '../config.ts';
import { type AnyTasks, createTasks, observedTasks, tracedTasks } from '../jobs/tasks.ts';
import type { Database } from '../platform/database/database.ts';
import { inLane, poolShare } from '../platform/concurrencyLimiter.ts';
import { createEncryption } from '../platform/encryption.ts';
import { kindOf } from '../platform/jobQueue/jobQueue.ts';
import { createFileMailer, createSmtpMailer, type SendMail, type SmtpTimeLimits } from '../platform/mailer.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Metrics } from '../platform/observability/metrics.ts';
import type { Tracing } from '../platform/observability/tracing/tracing.ts';
import type { Backoff } from '../platform/outboundCalls.ts';
import { defaultBackoff } from '../purchases/storeClient.ts';
import { createHostResolver, type PostOptions } from '../webhooks/postEvent.ts';
import { createStoreOpener, type FindStore, type StoreOptions } from '../purchases/storeOpener.ts';
import { composeStoreFinder, type DemoConfig } from './composeDeps.ts';

type MailConfig = Pick<Config, 'smtpUrl' | 'mailFrom' | 'dashboardUrl' | 'dataDir' | 'tokenKeys'>;
type WebhookConfig = Partial<Pick<Config, 'production'>>;
type StoreConfig = StoreOptions & Pick<Config, 'encryptionKeys' | 'storeCallsPerSecond'> & DemoConfig;

export interface TaskFoundation {
  config: StoreConfig & MailConfig & WebhookConfig;
  database: Pick<Database, 'pool'>;
  log: Log;
  /** Undefined: found by the configuration. */
  findStore?: FindStore;
  /** Undefined: nothing is counted. */
  metrics?: Metrics;
  /** Null or undefined: runs have no spans. */
  tracing?: Tracing | null;
  now?: () => Date;
  backoff?: Backoff;
  notKnownMillis?: number;
  storeTimeLimitMillis?: number;
  mailBackoff?: Backoff;
  smtpTimeLimits?: SmtpTimeLimits;
  /** Settings of the deliveries to webhooks, for tests. */
  post?: Partial<PostOptions>;
}

/** Throws when a file of root certificates cannot be used. */
export async function composeTasks(foundation: TaskFoundation): Promise<AnyTasks> {
  const { config, database, log, backoff = defaultBackoff, storeTimeLimitMillis = 10_000 } = foundation;
  const now = foundation.now ?? (() => new Date());
  const pool = shareOfJobs(database.pool);
  const tasks = createTasks({
    pool,
    log,
    encryption: createEncryption(...config.encryptionKeys),
    openStore: createStoreOpener(foundation.findStore ?? (await composeStoreFinder(config, log)), {
      timeLimitMillis: storeTimeLimitMillis,
      now,
    }),
    lookedUp: (outcome) => foundation.metrics?.lookedUp(outcome),
    notified: (labels) => foundation.metrics?.notified(labels),
    notificationRefused: (reason) => foundation.metrics?.notificationRefused(reason),
    notificationsRead: (outcome) => foundation.metrics?.notificationsRead(outcome),
    mailEnded: (outcome) => foundation.metrics?.mailEnded(outcome),
    callsPerSecond: config.storeCallsPerSecond,
    backoff,
    notKnownMillis: foundation.notKnownMillis,
    passwordTokens: createPasswordTokens(...config.tokenKeys),
    sendMail: createMailer(foundation),
    dashboardUrl: config.dashboardUrl,
    post: {
      ...{ production: config.production ?? true, timeLimitMillis: 10_000 },
      resolve: createHostResolver(),
      ...foundation.post,
    },
    deliveryEnded: (outcome) => foundation.metrics?.deliveryEnded(outcome),
    eventsDropped: (count) => foundation.metrics?.eventsDropped(count),
    mailBackoff: foundation.mailBackoff ?? defaultMailBackoff,
    now,
  });
  const laned = lanedTasks(tasks);
  const observed = foundation.metrics ? observedTasks(laned, foundation.metrics) : laned;
  return foundation.tracing ? tracedTasks(observed, foundation.tracing) : observed;
}

/** Kinds of jobs take turns for the connections that all jobs share. */
function lanedTasks(tasks: AnyTasks): AnyTasks {
  return Object.fromEntries(
    Object.entries(tasks).map(([name, run]): [string, AnyTasks[string]] => [
      name,
      (payload, helpers) => inLane(kindOf(name), () => run(payload, helpers)),
    ]),
  );
}

/**
 * Many jobs run at once, and mostly wait for other services. Of the default ten connections they leave two: one on which the queue
 * listens, and one for its other questions and the API.
 */
function shareOfJobs(pool: Database['pool']): Database['pool'] {
  const { max, connectionTimeoutMillis } = pool.options;
  return poolShare(pool, {
    connections: Math.max(1, max - 2),
    patienceMillis: connectionTimeoutMillis ?? defaultPatienceMillis,
  });
}

const defaultPatienceMillis = 4_000;

function createMailer({ config, log, smtpTimeLimits }: TaskFoundation): SendMail {
  const { smtpUrl, mailFrom: from } = config;
  if (smtpUrl !== undefined) return createSmtpMailer({ url: smtpUrl, from, timeLimits: smtpTimeLimits });
  const folder = path.resolve(config.dataDir, 'mail');
  log.info({ folder }, 'no SMTP_URL: mails are written as files');
  return createFileMailer({ folder, from });
}
