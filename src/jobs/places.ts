// How many jobs of each kind, and of each owner, run at once in this process: the queue skips those that have no place.
import { LRUCache } from 'lru-cache';
import { jobFlags, kindOf, ownersOf, type JobKind } from '../platform/jobQueue/jobKinds.ts';

interface Bounds {
  places: number;
  ofOwner: number;
  ofGroup: number;
  /** Of all slow owners together. */
  ofSlow: number;
}

/**
 * More than ten owners can hang at once without taking all places, because nobody knows beforehand who will hang. Afterwards they
 * share a part.
 */
export const usualPlaces: Record<JobKind, Bounds> = {
  mail: { places: 4, ofOwner: 2, ofGroup: 2, ofSlow: 2 },
  webhooks: { places: 24, ofOwner: 2, ofGroup: 12, ofSlow: 12 },
  look_ups: { places: 12, ofOwner: 1, ofGroup: 12, ofSlow: 6 },
  look_ups_behind: { places: 12, ofOwner: 1, ofGroup: 12, ofSlow: 6 },
  upkeep: { places: 4, ofOwner: 1, ofGroup: 4, ofSlow: 2 },
  // Each holds its place for up to a minute.
  removals: { places: 2, ofOwner: 1, ofGroup: 2, ofSlow: 2 },
};

/** A job that holds its place for so long makes its owner slow. */
const slowMillis = 3_000;
const rememberedMillis = 10 * 60_000;

export interface StartedJob {
  id: string;
  task_identifier: string;
  flags: Record<string, true> | null;
}

interface Running {
  id: string;
  kind: JobKind;
  owner: string | null;
  group: string | null;
  since: number;
}

export interface Places {
  /** Of all kinds. */
  count: number;
  begin(job: StartedJob): void;
  end(job: Pick<StartedJob, 'id'>): void;
  /** The flags of the jobs that may not begin now. */
  forbidden(): string[];
}

export function createPlaces(bounds: Record<JobKind, Bounds> = usualPlaces): Places {
  /** By the widest flag of the owner. */
  const slow = new LRUCache<string, JobKind>({ max: 1_000, ttl: rememberedMillis });
  const running = new Map<string, Running>();
  const widest = ({ owner, group }: Running): string | null => group ?? owner;
  const noteSlow = (job: Running): void => {
    const flag = widest(job);
    if (flag !== null && performance.now() - job.since > slowMillis) slow.set(flag, job.kind);
  };
  const isSlow = (job: Running): boolean => {
    const flag = widest(job);
    return flag !== null && slow.has(flag);
  };
  const forbiddenOf = (kind: JobKind): string[] => {
    const { places, ofOwner, ofGroup, ofSlow } = bounds[kind];
    const own = [...running.values()].filter((job) => job.kind === kind);
    if (own.length >= places) return jobFlags(kind, { owner: '' }).slice(0, 1);
    const slowOnes =
      own.filter(isSlow).length >= ofSlow ? [...slow].flatMap(([flag, of]) => (of === kind ? [flag] : [])) : [];
    const owners = own.map(({ owner }) => owner);
    const groups = own.map(({ group }) => group);
    return [...thoseWith(ofOwner, owners), ...thoseWith(ofGroup, groups), ...slowOnes];
  };
  return {
    count: Object.values(bounds).reduce((sum, { places }) => sum + places, 0),
    begin({ id, task_identifier: task, flags }) {
      const kind = kindOf(task);
      running.set(id, { id, kind, ...ownersOf(kind, Object.keys(flags ?? {})), since: performance.now() });
    },
    end({ id }) {
      const job = running.get(id);
      if (job) noteSlow(job);
      running.delete(id);
    },
    forbidden() {
      running.forEach(noteSlow);
      return (Object.keys(bounds) as JobKind[]).flatMap(forbiddenOf);
    },
  };
}

/** The flags that are there so often, or more often. */
function thoseWith(most: number, flags: (string | null)[]): string[] {
  const counts = new Map<string, number>();
  for (const flag of flags) if (flag !== null) counts.set(flag, (counts.get(flag) ?? 0) + 1);
  return [...counts].flatMap(([flag, count]) => (count >= most ? [flag] : []));
}
