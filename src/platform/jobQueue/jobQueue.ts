// Adds jobs to the queue in the caller's transaction, so that a job exists exactly when its data is stored.
import { prepared, sql, type SqlConnection } from '../database/sql.ts';

export interface NewJob<Task extends keyof JobPayloads> extends JobOwner {
  payload: JobPayloads[Task];
  /** A job replaces an earlier one with the same key, unless the earlier one is running. At most 512 characters. */
  key: string;
  /** Default: now. */
  runAt?: Date;
}

/** Of one kind, jobs with a smaller number run first. */
export interface JobTask<Task extends keyof JobPayloads> {
  task: Task;
  /** A multiple of 100. */
  priority?: number;
}

/** The rounds of one owner. All of its further jobs share the last one. */
const mostRounds = 99;

/**
 * The queue silently skips a job while a worker takes another job with the same key. That other job can no longer be
 * replaced, and its lock is not visible yet. So this function adds all jobs again after the lock is visible. The
 * skipped job is then added beside the other job, and the remaining jobs replace themselves. Outside a transaction one
 * of them may have begun, and runs twice.
 */
export async function addJobs<Task extends keyof JobPayloads>(
  connection: SqlConnection,
  { task, priority = 0 }: JobTask<Task>,
  jobs: NewJob<NoInfer<Task>>[],
): Promise<void> {
  if (jobs.length === 0) return;
  const kind = kindOf(task);
  const rounds = takesRounds(kind) ? await roundsOf(connection, kind, jobs) : jobs.map(() => 0);
  const priorities = rounds.map((round) => priority + round);
  const { rowCount } = await connection.query(prepared('add_jobs')`/* platform: addJobs */
    SELECT FROM graphile_worker.add_jobs(ARRAY(SELECT job FROM ${newJobs(task, jobs, priorities)}))`);
  if (rowCount! < jobs.length) await addJobs(connection, { task, priority }, jobs);
}

/**
 * For work that is stored already: adds the jobs that are not due anyway. A job that is due, and not running, will see that
 * work, and so will one that a worker takes at this moment. So a flood of requests for one job does not keep its row locked.
 */
export async function wakeJobs<Task extends keyof JobPayloads>(
  connection: SqlConnection,
  task: Task,
  jobs: NewJob<NoInfer<Task>>[],
): Promise<void> {
  if (jobs.length === 0) return;
  const priorities = jobs.map(() => 0);
  await connection.query(prepared('wake_jobs')`/* platform: wakeJobs */
    SELECT FROM graphile_worker.add_jobs(ARRAY(SELECT job FROM ${newJobs(task, jobs, priorities)}
      WHERE NOT EXISTS (SELECT FROM graphile_worker._private_jobs j
        WHERE j.key = new_key AND j.is_available AND j.run_at <= now())))`);
}

function newJobs(
  task: string,
  jobs: (JobOwner & { payload: object; key: string; runAt?: Date })[],
  priorities: number[],
) {
  const kind = kindOf(task);
  const payloads = jobs.map(({ payload }) => JSON.stringify(payload));
  const keys = jobs.map(({ key }) => key);
  const times = jobs.map(({ runAt }) => runAt ?? null);
  const flags = jobs.map((job) => JSON.stringify(jobFlags(kind, job)));
  return sql`(
    SELECT key AS new_key, ROW(${task}::text, payload, NULL, run_at, NULL, key, priority,
      ARRAY(SELECT json_array_elements_text(flags)))::graphile_worker.job_spec AS job
    FROM unnest(${payloads}::json[], ${keys}::text[], ${times}::timestamptz[], ${priorities}::int[], ${flags}::json[])
      AS t (payload, key, run_at, priority, flags)) new_jobs`;
}

/** How many jobs of the same owner wait before each of these. It reads the whole queue, which holds few jobs of an owner. */
async function roundsOf(
  connection: SqlConnection,
  kind: JobKind,
  jobs: (JobOwner & { key: string })[],
): Promise<number[]> {
  const owners = jobs.map((job) => jobFlags(kind, job).at(-1)!);
  const keys = jobs.map(({ key }) => key);
  const { rows } = await connection.query<{ owner: string; count: number }>(
    prepared('count_jobs_of_owners')`/* platform: roundsOf */
    SELECT flag AS owner, count(*)::int AS count
    FROM graphile_worker._private_jobs j CROSS JOIN LATERAL jsonb_object_keys(j.flags) flag
    WHERE j.is_available AND j.flags ?| ${owners}::text[] AND flag = ANY(${owners}::text[])
      AND (j.key IS NULL OR j.key <> ALL(${keys}::text[]))
    GROUP BY flag`,
  );
  const waiting = new Map(rows.map(({ owner, count }) => [owner, count]));
  return owners.map((owner) => {
    const before = waiting.get(owner) ?? 0;
    waiting.set(owner, before + 1);
    return Math.min(before, mostRounds);
  });
}

// The kind of each job. Each kind has places of its own in a worker, and within a kind owners take turns (pure).

export type JobKind = 'mail' | 'webhooks' | 'look_ups' | 'look_ups_behind' | 'upkeep' | 'removals';

const kinds: Record<keyof JobPayloads, JobKind> = {
  sendPasswordMail: 'mail',
  sendEmailMail: 'mail',
  deliverWebhooks: 'webhooks',
  resolveTransactions: 'look_ups',
  resolveTransactionsBehind: 'look_ups_behind',
  readNotifications: 'look_ups_behind',
  resolveStoreTransaction: 'upkeep',
  retryPendingTransactions: 'upkeep',
  queueWaitingTransactions: 'upkeep',
  removeApplication: 'removals',
};

export function kindOf(task: string): JobKind {
  return kinds[task as keyof JobPayloads] ?? 'upkeep';
}

/** For whom a job works. */
export interface JobOwner {
  /** An application, or whoever asked for the work. */
  owner: string;
  /** Of several owners that count together: the organization. */
  group?: string;
}

/** The queue skips the jobs of a flag that a worker forbids at the moment. */
export function jobFlags(kind: JobKind, { owner, group }: JobOwner): string[] {
  return [kind, `${kind}:${owner}`, ...(group === undefined ? [] : [`${kind}/${group}`])];
}

/** The flags of one owner, of a job's flags in any order. A job of an earlier version has none. */
export function ownersOf(kind: JobKind, flags: readonly string[]): { owner: string | null; group: string | null } {
  const find = (begin: string) => flags.find((flag) => flag.startsWith(begin)) ?? null;
  return { owner: find(`${kind}:`), group: find(`${kind}/`) };
}

/**
 * Of the jobs that wait, one owner's second one comes after the first one of everybody else, and so on. The other kinds have
 * one job for each owner.
 */
export function takesRounds(kind: JobKind): boolean {
  return kind === 'mail' || kind === 'webhooks';
}

// The payload of each job, by the name of its task. Code that adds a job and the list of tasks share these types.

/** Stored as JSON. */
export interface JobPayloads {
  /** Looks up the transactions of an application that are due in front: those of proven devices. */
  resolveTransactions: { applicationId: string };
  /** The same behind these. */
  resolveTransactionsBehind: { applicationId: string };
  /** Of an earlier version, which added a job for each transaction: the transaction enters the line. */
  resolveStoreTransaction: {
    applicationId: string;
    transactionId: string;
    attempt?: number;
    ended?: boolean;
  };
  retryPendingTransactions: {
    applicationId: string;
    /** The page begins after this id. */
    after: string;
    /** True for all PENDING transactions, which a pause has delayed; absent for those whose look-up is to be repeated. */
    putOff?: boolean;
  };
  /** Fills free places with transactions that wait for one. */
  queueWaitingTransactions: { applicationId: string };
  /** Reads the store's history of notifications. */
  readNotifications: {
    applicationId: string;
    environment: 'PRODUCTION' | 'SANDBOX';
    /** Failed attempts so far; absent means none. */
    attempt?: number;
    /** The job has waited for a call to the store. */
    queued?: boolean;
  };
  deliverWebhooks: { webhookId: string };
  removeApplication: { applicationId: string };
  sendPasswordMail: {
    /** Identifies the mail and its token. The token itself is in no job. */
    mailId: string;
    purpose: 'reset' | 'invitation';
    /** The address as entered, in lower case. Perhaps no user has it when the job runs. */
    email: string;
    /** Of an invitation; absent in a job of an earlier version. */
    membershipId?: string;
    /** The account was a member until somebody proved the mailbox. */
    takenBack?: boolean;
    /** Failed attempts so far; absent means none. */
    attempt?: number;
  };
  sendEmailMail: {
    /** Identifies the mail and its token. The token itself is in no job. */
    mailId: string;
    /** `notice` tells the account's present address of a change. */
    purpose: 'confirmation' | 'change' | 'notice';
    /** The address that the mail goes to. */
    email: string;
    /** In a notice: the address that the account is to have. */
    newEmail?: string;
    /** Failed attempts so far; absent means none. */
    attempt?: number;
  };
}
