// Counts what the service refuses of requests with a valid key: in memory, and every few seconds in the database.
import type { Log } from '../../platform/observability/log.ts';

/** One fault of a refused request. It never holds a value that was sent. */
export interface Fault {
  status: number;
  /** One word for programs. */
  reason: string;
  /** As `fields[].path` has it; empty for the whole request. */
  path: string;
  message: string;
}

export interface RefusedRequest {
  applicationId: string;
  operation: string;
  /** Null where it could not be read. */
  sdkVersion: number | null;
  appVersion: number | null;
  at: Date;
  faults: readonly Fault[];
}

/** Equal faults of one application. */
export interface CountedIssue extends Omit<RefusedRequest, 'at' | 'faults'> {
  status: number;
  reason: string;
  /** With `[]` for the indexes. */
  path: string;
  count: number;
  firstAt: Date;
  lastAt: Date;
  samplePath: string;
  sampleMessage: string;
}

export interface IssueCounts {
  /** Only counts in memory, and never fails. */
  note(refused: RefusedRequest): void;
  /** Stores what was counted. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

export interface IssueCountsOptions {
  save(issues: CountedIssue[]): Promise<void>;
  log: Pick<Log, 'warn'>;
  everyMillis?: number;
}

/** `ingestIssues` shows a refusal after 15 seconds, also when one write fails. */
const writeEveryMillis = 5_000;
/** Of one application, between two writes. */
export const mostLines = 200;
/** Of all applications, while the database is away. */
export const mostLinesOfAll = 10_000;
/** Whole: no zone's day begins within one, so that each line is of one day. */
const quarterMillis = 15 * 60_000;

export function createIssueCounts({ save, log, everyMillis = writeEveryMillis }: IssueCountsOptions): IssueCounts {
  let lines = new Map<string, CountedIssue>();
  let linesOf = new Map<string, number>();
  let writing = Promise.resolve();
  let hasDropped = false;
  function add(issue: CountedIssue): void {
    const quarter = Math.floor(issue.firstAt.getTime() / quarterMillis);
    const place = `${issue.applicationId} ${quarter}`;
    const held = lines.get(keyOf(issue, place));
    if (held) return merge(held, issue);
    const count = linesOf.get(place) ?? 0;
    const isFull = count >= mostLines || lines.size >= mostLinesOfAll;
    if (isFull && issue.reason !== 'other') return add(asOther(issue));
    if (lines.size >= mostLinesOfAll) return drop();
    linesOf.set(place, count + 1);
    lines.set(keyOf(issue, place), issue);
  }
  /** Each application and quarter has a line of its own for the rest, so that these too need a bound. */
  function drop(): void {
    if (!hasDropped)
      log.warn({ mostLinesOfAll }, 'refused requests are no longer counted until the counts are written');
    hasDropped = true;
  }
  async function write(): Promise<void> {
    if (lines.size === 0) return;
    const issues = [...lines.values()];
    lines = new Map();
    linesOf = new Map();
    try {
      await save(issues);
      hasDropped = false;
    } catch (error) {
      issues.forEach(add);
      log.warn({ err: error }, 'the counts of refused requests could not be written');
    }
  }
  const flush = (): Promise<void> => (writing = writing.then(write));
  const timer = setInterval(() => void flush(), everyMillis).unref();
  return {
    note: (refused) => issuesOf(refused).forEach(add),
    flush,
    stop() {
      clearInterval(timer);
      return flush();
    },
  };
}

/** One for each path, however many entries of a list have the fault. */
function issuesOf({ faults, at, ...request }: RefusedRequest): CountedIssue[] {
  const byPath = new Map<string, CountedIssue>();
  for (const { path: samplePath, message: sampleMessage, ...fault } of faults) {
    const path = withoutIndexes(samplePath);
    if (byPath.has(path)) continue;
    byPath.set(path, { ...request, ...fault, path, count: 1, firstAt: at, lastAt: at, samplePath, sampleMessage });
  }
  return [...byPath.values()];
}

/** A part of the primary key of the table, and each character may have four bytes. */
const longestPath = 256;

function withoutIndexes(path: string): string {
  const general = path.replace(/\[\d+\]/g, '[]');
  return general.length <= longestPath ? general : [...general].slice(0, longestPath).join('');
}

const keyOf = (issue: CountedIssue, place: string): string => `${place} ${lineOf(issue)}`;

/** What makes two issues of one application and day the same line. */
export function lineOf({ operation, status, reason, path, sdkVersion, appVersion }: CountedIssue): string {
  return `${operation} ${status} ${reason} ${sdkVersion} ${appVersion} ${path}`;
}

export function asOther(issue: CountedIssue): CountedIssue {
  const none = { path: '', sdkVersion: null, appVersion: null };
  return { ...issue, ...none, operation: 'other', status: 0, reason: 'other' };
}

function merge(into: CountedIssue, { count, firstAt, lastAt }: CountedIssue): void {
  into.count += count;
  if (firstAt < into.firstAt) into.firstAt = firstAt;
  if (lastAt > into.lastAt) into.lastAt = lastAt;
}
