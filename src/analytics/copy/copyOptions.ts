// The options of a process's copy, and the pauses that production uses.
import type { ClientConfig } from 'pg';
import type { AnalyticsMetrics } from '../../platform/observability/analyticsMetrics.ts';
import type { Log } from '../../platform/observability/log.ts';

export interface CopyOptions {
  /** Of the database, as the pool has it. */
  connection: ClientConfig;
  /** ANALYTICS_DIR. */
  dir: string;
  memoryMib: number;
  threads: number;
  log: Log;
  metrics: AnalyticsMetrics;
  /** Between two looks into the log while there is nothing new. */
  pollMillis?: number;
  /** How long the file may hold bytes of removed rows, in microseconds. */
  rewriteAfter?: bigint;
  /** Between two looks at the size of the copy. */
  upkeepMillis?: number;
  /** Between two comparisons with PostgreSQL. Null: none. */
  proveMillis?: number | null;
  /** How many times as long as it works a comparison rests: with 9 it takes a tenth of a core. */
  proofRests?: number;
}

/** Twelve hours after the first removal that the file still holds, so that no byte stays for a day. */
export const copyDefaults = {
  pollMillis: 500,
  rewriteAfter: 12n * 3_600_000_000n,
  upkeepMillis: 10_000,
  proveMillis: 86_400_000 as number | null,
  proofRests: 9,
};
