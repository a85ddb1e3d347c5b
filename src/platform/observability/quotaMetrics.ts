// The metrics of quotas: what unsigned requests of unknown devices have used, and how many a quota has refused.
import { Counter, Gauge, type Registry } from 'prom-client';

type Labels = Record<'operation' | 'unit', string>;

export function quotaMetrics(registers: Registry[]) {
  const labelNames = ['operation', 'unit'] as const;
  const refusals = new Counter({
    name: 'ingest_quota_refusals_total',
    help: 'Unsigned requests of unknown devices that got 503 because a quota of their application was used up, by the unit of the quota (bytes or devices).',
    labelNames,
    registers,
  });
  const used = new Counter({
    name: 'ingest_quota_used_total',
    help: 'What such requests have added, in bytes of rows and in new device ids.',
    labelNames,
    registers,
  });
  // An alert looks at the refusals, and Prometheus sees an increase only of a counter that begins at zero.
  for (const operation of ['reportSessions', 'reportAttribution', 'reportStoreTransactions'])
    for (const unit of ['bytes', 'devices'])
      for (const counter of [refusals, used]) counter.inc({ operation, unit }, 0);
  const shares: { labels: Labels; read: () => number }[] = [];
  new Gauge({
    name: 'ingest_quota_used_ratio',
    help: 'The part of its quota for the present hour that the application with the highest part has used, as far as this process knows. 1: used up.',
    labelNames,
    registers,
    collect() {
      for (const { labels, read } of shares) this.set(labels, read());
    },
  });
  return {
    quotaRefused: (labels: Labels) => refusals.inc(labels),
    quotaUsed(operation: string, use: Record<string, number>) {
      for (const [unit, count] of Object.entries(use)) used.inc({ operation, unit }, count);
    },
    /** `read` returns the part that is used. */
    observeQuota: (labels: Labels, read: () => number) => void shares.push({ labels, read }),
  };
}
