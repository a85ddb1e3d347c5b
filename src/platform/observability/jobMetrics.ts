// The metrics of background work: jobs, calls to the store, and reads of the campaign configuration.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { fromZero } from './fromZero.ts';

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
