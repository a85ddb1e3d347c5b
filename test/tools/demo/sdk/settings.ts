// What the host app and the SDK's authors set: keys, timeouts and sizes, with the values that we recommend.
import type { RetryPolicy } from './backoff.ts';

export interface Credentials {
  /** Without a slash at the end. */
  baseUrl: string;
  publicKey: string;
  secretKey: string;
}

export interface SdkSettings {
  retry: RetryPolicy;
  /** In the background for longer than this, the session is over. */
  sessionTimeoutMillis: number;
  requestTimeoutMillis: number;
  /** Smaller bodies travel as they are. */
  gzipAboveBytes: number;
  sessionsPerUpload: number;
  eventsPerUpload: number;
  transactionsPerUpload: number;
  /** For a blocking action whose campaign names no deadline. */
  actionDeadlineSeconds: number;
}

export const recommendedSettings: SdkSettings = {
  retry: { firstMillis: 1_000, longestMillis: 300_000, attempts: 5 },
  sessionTimeoutMillis: 30 * 60_000,
  requestTimeoutMillis: 30_000,
  gzipAboveBytes: 1_024,
  sessionsPerUpload: 100,
  eventsPerUpload: 1_000,
  transactionsPerUpload: 100,
  actionDeadlineSeconds: 60,
};
