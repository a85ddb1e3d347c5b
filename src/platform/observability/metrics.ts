// The process's metrics, named and labelled by Prometheus' conventions, for the private listener; docs/operating/metrics-and-alerts.md has the alerts.
import type { Pool } from 'pg';
import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import { version } from '../version.ts';
import { analyticsMetrics } from './analyticsMetrics.ts';
import { fromZero } from './fromZero.ts';
import { ingestMetrics } from './ingestMetrics.ts';
import { jobMetrics } from './jobMetrics.ts';
import { plainCounter, type Add } from './plainCounter.ts';
import { plainHistogram, type Observe } from './plainHistogram.ts';
import { quotaMetrics } from './quotaMetrics.ts';
import type { SpanCounts } from './tracing/tracing.ts';

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  buildInfo(registers);
  return {
    registry,
    ...requestMetrics(registers),
    ...campaignMetrics(registers),
    ...ingestMetrics(registers),
    ...quotaMetrics(registers),
    ...jobMetrics(registers),
    ...analyticsMetrics(registers),
    observePool: (pool: Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'>) => poolMetrics(registers, pool),
    observeSpans: (counts: () => SpanCounts) => spanMetrics(registers, counts),
  };
}

function buildInfo(registers: Registry[]): void {
  const labelNames = ['version', 'node_version'];
  const info = new Gauge({ name: 'service_build_info', help: 'Always 1; says what runs.', labelNames, registers });
  info.set({ version, node_version: process.version }, 1);
}

function requestMetrics(registers: Registry[]) {
  const requests = plainCounter({
    name: 'http_requests_total',
    help: 'Answers of the public listener, by operation (adminGraphql and unrouted beside those of openapi.yaml) and status.',
    labelNames: ['operation', 'status'],
    registers,
  });
  // Alerts look at these, and Prometheus does not see the increase of a counter that begins above zero.
  for (const operation of ['reportAttribution', 'reportStoreTransactions', 'getCampaigns', 'receiveStoreNotification'])
    for (const status of ['500', '503']) requests({ operation, status })(0);
  const durations = plainHistogram({
    name: 'http_request_duration_seconds',
    help: 'From the end of the headers of a request to the end of its answer.',
    labelNames: ['operation'],
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const adminErrors = new Counter({
    name: 'admin_errors_total',
    help: 'Errors in answers of the admin API, by their code.',
    labelNames: ['code'],
    registers,
  });
  fromZero(adminErrors, 'code', ['INTERNAL_SERVER_ERROR', 'INVALID_CREDENTIALS', 'RATE_LIMITED']);
  return { answered: boundByLabels(requests, durations), adminError: (code: string) => adminErrors.inc({ code }) };
}

function campaignMetrics(registers: Registry[]) {
  const configReads = new Counter({
    name: 'campaign_config_reads_total',
    help: "Reads of an application's campaigns from the database; all other answers come from memory.",
    labelNames: ['outcome'],
    registers,
  });
  fromZero(configReads, 'outcome', ['success', 'failure']);
  return { configRead: (outcome: 'success' | 'failure') => configReads.inc({ outcome }) };
}

/** Served only where tracing is on. */
function spanMetrics(registers: Registry[], counts: () => SpanCounts): void {
  new Counter({
    name: 'trace_spans_total',
    help: 'Spans that ended, and of them those that the collector took (sent) or did not take (lost). The others wait, or a full queue dropped them.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      const { ended, sent, lost } = counts();
      for (const [outcome, count] of Object.entries({ ended, sent, lost })) this.inc({ outcome }, count);
    },
  });
}

interface Answered {
  operation: string;
  status: number;
  millis: number;
}

/** Keeps each labelled child: its look-up costs more than all the rest, and there are few operations and statuses. */
function boundByLabels(
  requests: (labels: { operation: string; status: string }) => Add,
  durations: (labels: { operation: string }) => Observe,
): (answered: Answered) => void {
  const children = new Map<string, { duration: Observe; counts: Map<number, Add> }>();
  const childOf = (operation: string) => {
    const known = children.get(operation);
    if (known) return known;
    const child = { duration: durations({ operation }), counts: new Map<number, Add>() };
    children.set(operation, child);
    return child;
  };
  return ({ operation, status, millis }) => {
    const { duration, counts } = childOf(operation);
    duration(millis / 1_000);
    let count = counts.get(status);
    if (!count) counts.set(status, (count = requests({ operation, status: String(status) })));
    count(1);
  };
}

function poolMetrics(registers: Registry[], pool: Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'>): void {
  const gauges = [
    ['database_pool_connections', 'Open connections of the pool to PostgreSQL.', () => pool.totalCount],
    ['database_pool_idle_connections', 'Those of them that nobody uses at this moment.', () => pool.idleCount],
    ['database_pool_waiting_requests', 'Work that waits for a connection.', () => pool.waitingCount],
  ] as const;
  for (const [name, help, read] of gauges) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  }
}
