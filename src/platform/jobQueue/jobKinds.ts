// The kind of each job. Each kind has places of its own in a worker, and within a kind owners take turns (pure).
import type { JobPayloads } from './jobPayloads.ts';

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
