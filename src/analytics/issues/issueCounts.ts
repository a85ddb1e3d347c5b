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
  const held = new HeldLines(log);
  let writing = Promise.resolve();
  async function write(): Promise<void> {
    const issues = held.take();
    if (issues.length === 0) return;
    try {
      await save(issues);
      held.written();
    } catch (error) {
      for (const issue of issues) held.add(issue);
      log.warn({ err: error }, 'the counts of refused requests could not be written');
    }
  }
  const flush = (): Promise<void> => (writing = writing.then(write));
  const timer = setInterval(() => void flush(), everyMillis).unref();
  return {
    note(refused) {
      for (const issue of issuesOf(refused)) held.add(issue);
    },
    flush,
    stop() {
      clearInterval(timer);
      return flush();
    },
  };
}

/** The lines until the next write. */
class HeldLines {
  readonly #log: Pick<Log, 'warn'>;
  #lines = new Map<string, CountedIssue>();
  /** How many each application and quarter has. */
  #counts = new Map<string, number>();
  #hasDropped = false;

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log;
  }

  add(issue: CountedIssue): void {
    const quarter = Math.floor(issue.firstAt.getTime() / quarterMillis);
    const place = `${issue.applicationId} ${quarter}`;
    const known = this.#lines.get(keyOf(issue, place));
    if (known) return merge(known, issue);
    const count = this.#counts.get(place) ?? 0;
    const isFull = this.#lines.size >= mostLinesOfAll;
    if ((isFull || count >= mostLines) && issue.reason !== 'other') return this.add(asOther(issue));
    if (isFull) return this.#drop();
    this.#counts.set(place, count + 1);
    this.#lines.set(keyOf(issue, place), issue);
  }

  take(): CountedIssue[] {
    const issues = [...this.#lines.values()];
    this.#lines = new Map();
    this.#counts = new Map();
    return issues;
  }

  written(): void {
    this.#hasDropped = false;
  }

  /** Each application and quarter has a line of its own for the rest, so that these too need a bound. */
  #drop(): void {
    if (!this.#hasDropped)
      this.#log.warn({ mostLinesOfAll }, 'refused requests are no longer counted until the counts are written');
    this.#hasDropped = true;
  }
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
