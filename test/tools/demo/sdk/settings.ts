// The settings of the SDK, with their recommended values: openapi.yaml, "Recommended settings".
import type { RetryPolicy } from './backoff.ts';

export interface Credentials {
  /** The base URL without a slash at its end. */
  baseUrl: string;
  publicKey: string;
  secretKey: string;
}

export interface SdkSettings {
  retry: RetryPolicy;
  /** After a longer time in the background the session has ended. */
  sessionTimeoutMillis: number;
  requestTimeoutMillis: number;
  /** Bodies up to this size are sent uncompressed. */
  gzipAboveBytes: number;
  sessionsPerUpload: number;
  eventsPerUpload: number;
  transactionsPerUpload: number;
  /** The deadline of a blocking action whose `deadlineSeconds` is null. */
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
