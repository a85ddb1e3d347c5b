// The one record that the edges pass to every operation, built by composeDeps.ts for the process and for tests.
import type { Pool } from 'pg';
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { AccessTokens } from './accounts/authenticate.ts';
import type { Attempts } from './accounts/attempts.ts';
import type { PasswordTokens } from './accounts/mailedTokens.ts';
import type { Passwords } from './accounts/passwords.ts';
import type { RefreshTokens } from './accounts/startLogin.ts';
import type { SignupPolicy } from './accounts/signupPolicy.ts';
import type { AnalyticsEngine } from './analytics/engine/engine.ts';
import type { IssueCounts } from './analytics/issueCounts.ts';
import type { CampaignDirectory } from './campaigns/campaignDirectory.ts';
import type { DeviceNodes } from './devices/deviceKey.ts';
import type { AdminPool, TransactionLimits } from './platform/database/transaction.ts';
import type { Encryption } from './platform/encryption.ts';
import type { Log } from './platform/observability/log.ts';
import type { Metrics } from './platform/observability/metrics.ts';
import type { Tracing } from './platform/observability/tracing/tracing.ts';
import type { NotificationReceiver } from './purchases/receiveStoreNotification.ts';
import type { TransactionReport } from './purchases/reportStoreTransactions.ts';
import type { Quotas } from './quotas/quotas.ts';
import type { Uploads } from './sessions/reportSessions.ts';
import type { UrlRules } from './webhooks/postEvent.ts';
import type { ApplicationDirectory, KeyUses } from './workspace/applicationDirectory.ts';

export interface Deps {
  log: Log;
  metrics: Metrics;
  /** Null where no collector is configured. */
  tracing: Tracing | null;
  /** Uploads and jobs take their connections from it; the admin API does not get it. */
  pool: Pool;
  /** The share of `pool` that the admin API may hold. */
  adminPool: AdminPool;
  /** Uses `adminPool`. */
  prisma: PrismaClient;
  encryption: Encryption;
  accessTokens: AccessTokens;
  refreshTokens: RefreshTokens;
  passwords: Passwords;
  passwordTokens: PasswordTokens;
  attempts: Attempts;
  /** The setting SIGNUP. */
  signup: SignupPolicy;
  /** Which URLs a webhook may have. */
  webhookRules: UrlRules;
  applications: ApplicationDirectory;
  keyUses: KeyUses;
  campaigns: CampaignDirectory;
  /** Serves the reads of src/analytics. */
  analytics: AnalyticsEngine;
  /** Counts refused requests for `ingestIssues`. */
  issues: IssueCounts;
  uploads: Uploads;
  /** Whether the nonce is stored with another body. Called only for an upload that is refused before the writer. */
  nonceTaken(nonce: { applicationId: string; nonce: string; bodyHash: Buffer }): Promise<boolean>;
  /** Bounds what unsigned requests of unknown devices may store. */
  quotas: Quotas;
  /** Stores one upload of transaction ids with their jobs. Resolves after COMMIT to the bytes that it has added. */
  storeTransactions(report: TransactionReport, limits: TransactionLimits): Promise<number>;
  /** Which nodes of a cluster are away: a request of a device there does not wait for its node. */
  nodes: DeviceNodes;
  storeNotifications: NotificationReceiver;
  signatureRequired: boolean;
  /** Counts from the moment when a request's body is read. */
  respondWithinMillis: number;
  now(): Date;
}
