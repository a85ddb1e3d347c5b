// Sends spans through another exporter, counts them, and says so in the log when the collector is away: rarely, and once when it is back.
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Log } from '../log.ts';
import type { SpanCounts } from './tracing.ts';

const quietMillis = 60_000;

export interface Watch {
  log: Log;
  counts: SpanCounts;
  /** In milliseconds, and never back. */
  now?: () => number;
}

/** A dead collector costs one line at its begin and one a minute. Spans that failed are not sent again. */
export function watchedExporter(exporter: SpanExporter, watch: Watch): SpanExporter {
  const { log, counts, now = () => performance.now() } = watch;
  /** Null while the collector takes spans. */
  let outage: { quietUntil: number; lost: number } | null = null;
  const failed = (spans: number, error: Error | undefined): void => {
    counts.lost += spans;
    outage ??= { quietUntil: -Infinity, lost: 0 };
    outage.lost += spans;
    if (now() < outage.quietUntil) return;
    outage.quietUntil = now() + quietMillis;
    log.warn({ err: error, lost: outage.lost }, 'spans could not be sent to the collector');
  };
  const succeeded = (spans: number): void => {
    counts.sent += spans;
    if (outage) log.info({ lost: outage.lost }, 'the collector takes spans again');
    outage = null;
  };
  return {
    export(spans: ReadableSpan[], done: (result: ExportResult) => void) {
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.SUCCESS) succeeded(spans.length);
        else failed(spans.length, result.error);
        done(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}
