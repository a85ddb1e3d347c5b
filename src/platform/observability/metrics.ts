// The process's metrics, named and labelled by Prometheus' conventions, for the private listener; docs/operating/metrics-and-alerts.md has the alerts.
import type { Pool } from 'pg';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { version } from '../projectRoot.ts';
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
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Responses of the public listener, by operation (adminGraphql and unrouted beside those of openapi.yaml) and status.',
    labelNames: ['operation', 'status'],
    registers,
  });
  // Alerts look at these, and Prometheus does not see the increase of a counter that begins above zero.
  for (const operation of ['reportAttribution', 'reportStoreTransactions', 'getCampaigns', 'receiveStoreNotification'])
    for (const status of ['500', '503']) requests.inc({ operation, status }, 0);
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the end of the headers of a request to the end of its response.',
    labelNames: ['operation'],
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const adminErrors = new Counter({
    name: 'admin_errors_total',
    help: 'Errors in responses of the admin API, by their code.',
    labelNames: ['code'],
    registers,
  });
  fromZero(adminErrors, 'code', ['INTERNAL_SERVER_ERROR', 'INVALID_CREDENTIALS', 'RATE_LIMITED']);
  return {
    responded({ operation, status, millis }: { operation: string; status: number; millis: number }): void {
      requests.inc({ operation, status: String(status) });
      durations.observe({ operation }, millis / 1_000);
    },
    adminError: (code: string) => adminErrors.inc({ code }),
  };
}

function campaignMetrics(registers: Registry[]) {
  const configReads = new Counter({
    name: 'campaign_config_reads_total',
    help: "Reads of an application's campaigns from the database; all other responses come from memory.",
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

// The metrics of session uploads. For events, received = inserted + duplicate + rejected when no upload is in progress.

export interface StoredBatchCounts {
  /** 0 where a quota has refused all of them: then there was no transaction. */
  uploads: number;
  /** From the start, with a look-up for quotas, to the response to COMMIT; repeated transactions included. */
  millis: number;
  inserted: number;
  duplicate: number;
  rejected: number;
}

const eventsHelp =
  'What became of the events counted by ingest_events_received_total: inserted, duplicate (stored before, or twice in ' +
  'one upload), or rejected (not known to be stored: the upload was refused or failed). Each of them is counted once.';

export function ingestMetrics(registers: Registry[]) {
  const unstorable = new Counter({
    name: 'ingest_unstorable_uploads_total',
    help: 'Uploads that passed validation and that the database refused: each is a hole in the validation.',
    registers,
  });
  return {
    uploadUnstorable: () => unstorable.inc(),
    ...uploadMetrics(registers),
    ...eventMetrics(registers),
    observeQueue: (length: () => number) => queueGauge(registers, length),
  };
}

const uploadOutcomes = [
  ...['accepted', 'unavailable', 'internal_error', 'client_gone', 'nonce_reused', 'timestamp_out_of_window'],
  ...['signature_missing', 'signature_malformed', 'signature_mismatch', 'application_not_found', 'validation_failed'],
  ...['too_large', 'unsupported_media_type'],
];

/** `outcome` is `accepted`, the reason of a 403, the code of another refusal, `internal_error` or `client_gone`. */
function uploadMetrics(registers: Registry[]) {
  const uploads = new Counter({
    name: 'ingest_uploads_total',
    help: 'Session uploads by what their client was told: accepted, or the reason why not.',
    labelNames: ['outcome'],
    registers,
  });
  fromZero(uploads, 'outcome', uploadOutcomes);
  const skew = new Histogram({
    name: 'ingest_clock_skew_seconds',
    help: 'How far X-Timestamp of uploads whose signature is right is from our clock: by a wrong clock, or by a transfer that waited.',
    labelNames: ['device_clock'],
    buckets: [1, 5, 15, 60, 300, 3_600, 86_400, 31_536_000],
    registers,
  });
  for (const clock of ['ahead', 'behind']) skew.zero({ device_clock: clock });
  return {
    uploadEnded: (outcome: string) => uploads.inc({ outcome }),
    /** Positive when the device's clock is ahead. */
    clockSkew: (seconds: number) => skew.observe({ device_clock: seconds > 0 ? 'ahead' : 'behind' }, Math.abs(seconds)),
  };
}

function eventMetrics(registers: Registry[]) {
  const received = new Counter({
    name: 'ingest_events_received_total',
    help: 'Entries of sessions[].events in the body of every session upload that could be read as JSON, whatever came of it.',
    registers,
  });
  const events = new Counter({ name: 'ingest_events_total', help: eventsHelp, labelNames: ['result'], registers });
  fromZero(events, 'result', ['inserted', 'duplicate', 'rejected']);
  const batchUploads = new Histogram({
    name: 'ingest_batch_uploads',
    help: 'Uploads that shared one transaction.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registers,
  });
  const commits = new Histogram({
    name: 'ingest_commit_duration_seconds',
    help: 'Time of one transaction that stored uploads, from asking for a connection to the reply to COMMIT, with the look-up that quotas need before it; one that was sent behind another waits for that within it.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const eventsRejected = (count: number): void => events.inc({ result: 'rejected' }, count);
  const batchStored = (counts: StoredBatchCounts): void => {
    if (counts.uploads > 0) {
      batchUploads.observe(counts.uploads);
      commits.observe(counts.millis / 1_000);
    }
    events.inc({ result: 'inserted' }, counts.inserted);
    events.inc({ result: 'duplicate' }, counts.duplicate);
    eventsRejected(counts.rejected);
  };
  return { batchStored, eventsReceived: (count: number) => received.inc(count), eventsRejected };
}

function queueGauge(registers: Registry[], length: () => number): void {
  new Gauge({
    name: 'ingest_queue_uploads',
    help: 'Uploads that wait to be read or for a transaction.',
    registers,
    collect() {
      this.set(length());
    },
  });
}

// The metrics of quotas: what requests have used of them, how many a quota has refused, and which applications grow.

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

// The metrics of background work: jobs, calls to the store, and reads of the campaign configuration.

export type JobOutcome = 'success' | 'failure' | 'given_up';

const mailOutcomes = ['sent', 'postponed', 'given_up'] as const;
export type MailOutcome = (typeof mailOutcomes)[number];

/** The transactions of one line. */
export interface WaitingLookUps {
  /** `front` for those of proven devices. */
  line: 'front' | 'behind';
  /** Look-ups that are due. */
  due: number;
  oldestDueSeconds: number;
}

/** The jobs of one task. */
export interface WaitingJobs {
  task: string;
  /** Each kind has places of its own. */
  kind: string;
  /** Jobs that are due. */
  due: number;
  /** Jobs that are not due yet. */
  scheduled: number;
  /** Jobs without an attempt left. */
  givenUp: number;
  oldestDueSeconds: number;
}

export function jobMetrics(registers: Registry[]) {
  const durations = new Histogram({
    name: 'job_duration_seconds',
    help: 'Time of one run of a job.',
    labelNames: ['task'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60],
    registers,
  });
  const runs = new Counter({
    name: 'job_runs_total',
    help: 'Runs of jobs by outcome: success, failure (tried again), or given_up (the last failure).',
    labelNames: ['task', 'outcome'],
    registers,
  });
  const jobEnded = ({ task, outcome, millis }: { task: string; outcome: JobOutcome; millis: number }): void => {
    durations.observe({ task }, millis / 1_000);
    runs.inc({ task, outcome });
  };
  const failures = new Counter({
    name: 'housekeeping_failures_total',
    help: 'Runs of housekeeping tasks that failed; each comes again after ten minutes at the latest.',
    labelNames: ['task'],
    registers,
  });
  const housekeepingFailed = (task: string): void => failures.inc({ task });
  return {
    jobEnded,
    housekeepingFailed,
    ...lookUpMetrics(registers),
    ...notificationMetrics(registers),
    ...mailMetrics(registers),
    ...webhookMetrics(registers),
    ...waitingJobs(registers),
  };
}

function lookUpMetrics(registers: Registry[]) {
  const lookUps = new Counter({
    name: 'store_lookups_total',
    help: 'Look-ups of store transactions by the state that came out: resolved, not_found, failed, or pending (asked again, or when other credentials are set).',
    labelNames: ['outcome'],
    registers,
  });
  fromZero(lookUps, 'outcome', ['resolved', 'not_found', 'failed', 'pending']);
  return { lookedUp: (outcome: string) => lookUps.inc({ outcome }) };
}

function notificationMetrics(registers: Registry[]) {
  const notifications = new Counter({
    name: 'store_notifications_total',
    help: "Notifications of the store that verify, by their kind (other for an unknown one) and outcome: stored (with what it says about a transaction), kept (it says nothing about one), or repeated (known). Those of the store's history count too.",
    labelNames: ['type', 'outcome'],
    registers,
  });
  const refused = new Counter({
    name: 'store_notifications_refused_total',
    help: 'Notifications that do not verify, by reason; anybody can send one.',
    labelNames: ['reason'],
    registers,
  });
  fromZero(refused, 'reason', ['wrong_bundle', 'wrong_environment', 'invalid_certificate', 'not_verified']);
  const reads = new Counter({
    name: 'store_notification_reads_total',
    help: "Reads of the store's history of notifications: complete, postponed (retried), or failed (until the next day).",
    labelNames: ['outcome'],
    registers,
  });
  fromZero(reads, 'outcome', ['complete', 'postponed', 'failed']);
  return {
    notified: (labels: { type: string; outcome: 'stored' | 'kept' | 'repeated' }) => notifications.inc(labels),
    notificationRefused: (reason: string) => refused.inc({ reason }),
    notificationsRead: (outcome: 'complete' | 'postponed' | 'failed') => reads.inc({ outcome }),
  };
}

function mailMetrics(registers: Registry[]) {
  const mails = new Counter({
    name: 'password_mails_total',
    help: 'Attempts to hand a mail of an account to the mail server: sent, postponed (tried again later), or given_up.',
    labelNames: ['outcome'],
    registers,
  });
  fromZero(mails, 'outcome', mailOutcomes);
  return { mailEnded: (outcome: MailOutcome) => mails.inc({ outcome }) };
}

function webhookMetrics(registers: Registry[]) {
  const outcomes = ['delivered', 'failed', 'parked'] as const;
  const deliveries = new Counter({
    name: 'webhook_deliveries_total',
    help: 'Attempts to deliver an event to a webhook: delivered, failed (tried again later), or parked (given up).',
    labelNames: ['outcome'],
    registers,
  });
  fromZero(deliveries, 'outcome', outcomes);
  const dropped = new Counter({
    name: 'webhook_events_dropped_total',
    help: 'Events that a webhook did not get because too many of its deliveries waited.',
    registers,
  });
  return {
    deliveryEnded: (outcome: (typeof outcomes)[number]) => deliveries.inc({ outcome }),
    eventsDropped: (count: number) => dropped.inc(count),
  };
}

/** Housekeeping sets them once a minute, so that a scrape never waits for the database. */
function waitingJobs(registers: Registry[]) {
  const jobs = new Gauge({
    name: 'job_queue_jobs',
    help: 'Jobs in the queue by state: due, scheduled for later, or given_up after the last attempt. Counted once a minute where ROLE runs jobs.',
    labelNames: ['task', 'state'],
    registers,
  });
  const oldest = new Gauge({
    name: 'job_queue_oldest_due_seconds',
    help: 'For how long the job that waits longest has been due, by task and kind where ROLE runs jobs. Each kind has places of its own. Measured once a minute.',
    labelNames: ['task', 'kind'],
    registers,
  });
  const jobsCounted = (counts: WaitingJobs[]): void => {
    jobs.reset();
    oldest.reset();
    for (const { task, kind, due, scheduled, givenUp, oldestDueSeconds } of counts) {
      jobs.set({ task, state: 'due' }, due);
      jobs.set({ task, state: 'scheduled' }, scheduled);
      jobs.set({ task, state: 'given_up' }, givenUp);
      oldest.set({ task, kind }, oldestDueSeconds);
    }
  };
  /** Of all tasks together, where jobs are not counted. */
  const oldestDueFound = (seconds: number): void => oldest.set(seconds);
  const lookUps = new Gauge({
    name: 'store_lookups_waiting',
    help: 'Look-ups of store transactions that are due, by line: front (for proven devices) or behind. Counted once a minute where ROLE runs jobs.',
    labelNames: ['line'],
    registers,
  });
  const oldestLookUp = new Gauge({
    name: 'store_lookups_oldest_due_seconds',
    help: 'For how long the look-up that waits longest has been due, by line. Measured once a minute where ROLE runs jobs.',
    labelNames: ['line'],
    registers,
  });
  const lookUpsCounted = (counts: WaitingLookUps[]): void => {
    for (const { line, due, oldestDueSeconds } of counts) {
      lookUps.set({ line }, due);
      oldestLookUp.set({ line }, oldestDueSeconds);
    }
  };
  return { jobsCounted, oldestDueFound, lookUpsCounted };
}

// The metrics of the copy that serves the reads of analytics: how far it is behind, its size, and the questions to either engine.

const outcomes = ['answered', 'building', 'busy', 'too_large', 'cancelled', 'failed'] as const;
export type QuestionOutcome = (typeof outcomes)[number];

const reasons = ['database', 'file', 'disk', 'memory'] as const;
/** What stopped the copy until its next try. */
export type CopyTrouble = (typeof reasons)[number];

/** What of the copy is compared with PostgreSQL. */
export const provedRelations = ['sessions', 'events', 'devices', 'transactions', 'renewals'] as const;
export type ProvedRelation = (typeof provedRelations)[number];

export interface CopySize {
  rows: Readonly<Record<string, number>>;
  memoryBytes: number;
  fileBytes: number;
}

export function analyticsMetrics(registers: Registry[]) {
  return { ...copyMetrics(registers), ...questionMetrics(registers) };
}

function copyMetrics(registers: Registry[]) {
  let asOfMillis: number | null = null;
  let builtShare: number | null = null;
  gaugeOrAbsent(registers, {
    name: 'analytics_copy_lag_seconds',
    help: 'Age of the moment up to which the copy holds everything. Absent while there is no copy, or while it is built.',
    read: () => (asOfMillis === null ? null : Math.max(0, Date.now() - asOfMillis) / 1_000),
  });
  gaugeOrAbsent(registers, {
    name: 'analytics_copy_progress',
    help: 'The share of the copy that is built: 1 while it serves reads. Absent in a process without a copy.',
    read: () => builtShare,
  });
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const rows = gauge('analytics_copy_rows', 'Rows of the copy, by relation.', ['relation']);
  const memory = gauge('analytics_copy_memory_bytes', 'Memory that DuckDB holds, below ANALYTICS_MEMORY_MIB.');
  const bytes = gauge('analytics_copy_file_bytes', "The copy's file with its write-ahead log.");
  const troubles = new Counter({
    name: 'analytics_copy_failures_total',
    help: 'What stopped the copy until its next try: database (PostgreSQL), file (damaged, built anew), disk (full, or no right to write).',
    labelNames: ['reason'],
    registers,
  });
  fromZero(troubles, 'reason', reasons);
  const mended = new Counter({
    name: 'analytics_copy_mended_total',
    help: 'Days of an application, by relation, in which the copy differed from PostgreSQL and was read anew. Always 0, unless the service or somebody beside it has a fault.',
    labelNames: ['relation'],
    registers,
  });
  fromZero(mended, 'relation', provedRelations);
  return {
    copyProgressed: (share: number): void => void (builtShare = share),
    /** Null: no copy serves reads. */
    copyFollowed: (asOf: number | null): void => void (asOfMillis = asOf),
    copyMeasured(size: CopySize): void {
      for (const [relation, count] of Object.entries(size.rows)) rows.set({ relation }, count);
      memory.set(size.memoryBytes);
      bytes.set(size.fileBytes);
    },
    copyFailed: (reason: CopyTrouble) => troubles.inc({ reason }),
    copyMended: (relation: ProvedRelation, days: number) => mended.inc({ relation }, days),
  };
}

interface MaybeAbsent {
  name: string;
  help: string;
  /** Null: the gauge is absent. Most processes have no copy, and an alert would take a zero for a late one. */
  read(): number | null;
}

function gaugeOrAbsent(registers: Registry[], { name, help, read }: MaybeAbsent): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      const value = read();
      if (value === null) this.remove();
      else this.set(value);
    },
  });
}

function questionMetrics(registers: Registry[]) {
  const questions = new Counter({
    name: 'analytics_questions_total',
    help: 'Questions of the reads of analytics by outcome: answered, building (no copy yet), busy (too many at once), too_large (time, memory or rows), cancelled (its request ended), failed.',
    labelNames: ['outcome'],
    registers,
  });
  fromZero(questions, 'outcome', outcomes);
  const duration = new Histogram({
    name: 'analytics_question_duration_seconds',
    help: 'Time of an answered question, its wait for a turn included.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3, 5, 10, 15],
    registers,
  });
  return {
    questionEnded(outcome: QuestionOutcome, millis: number): void {
      questions.inc({ outcome });
      if (outcome === 'answered') duration.observe(millis / 1_000);
    },
  };
}

export type AnalyticsMetrics = ReturnType<typeof analyticsMetrics>;

// Counters with known labels, set to zero at the start.

/** Creates each series at the start: Prometheus sees an increase only of a series that already exists. */
export function fromZero<Label extends string>(counter: Counter<Label>, label: Label, values: readonly string[]): void {
  for (const value of values) counter.inc({ [label]: value } as Record<Label, string>, 0);
}
