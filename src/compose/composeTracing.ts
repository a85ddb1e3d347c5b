// Opens the log, and tracing where a collector is configured. Log lines inside a span carry its ids.
import type { Config } from '../config.ts';
import { createLog, type Log } from '../platform/observability/log.ts';
import type { Tracing } from '../platform/observability/tracing/tracing.ts';

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
