// The metrics of quotas: what requests have used of them, how many a quota has refused, and which applications grow.
import { Counter, Gauge, type Registry } from 'prom-client';

type Labels = Record<'operation' | 'unit', string>;

export function quotaMetrics(registers: Registry[]) {
  const labelNames = ['operation', 'unit'] as const;
  const refusals = new Counter({
    name: 'ingest_quota_refusals_total',
    help: 'Requests that got 503 because a quota of their application was used up, by the unit of the quota (bytes or devices): unsigned requests of unknown devices by their operation, and signed uploads of sessions as signedSessions.',
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
  for (const counter of [refusals, used]) counter.inc({ operation: 'signedSessions', unit: 'bytes' }, 0);
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
  let readGrowth: () => { applicationId: string; share: number }[] = () => [];
  new Gauge({
    name: 'ingest_signed_quota_used_ratio',
    help: 'The part of the quota of signed uploads that an application has used in the present hour, as far as this process knows: of the five that have used most, those above a tenth.',
    labelNames: ['application'],
    registers,
    collect() {
      this.reset();
      for (const { applicationId, share } of readGrowth()) this.set({ application: applicationId }, share);
    },
  });
  return {
    quotaRefused: (labels: Labels) => refusals.inc(labels),
    quotaUsed(operation: string, use: Record<string, number>) {
      for (const [unit, count] of Object.entries(use)) if (count > 0) used.inc({ operation, unit }, count);
    },
    /** `read` returns the part that is used. */
    observeQuota: (labels: Labels, read: () => number) => void shares.push({ labels, read }),
    observeGrowth: (read: typeof readGrowth) => void (readGrowth = read),
  };
}
