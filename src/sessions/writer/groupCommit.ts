// Group commit: uploads that arrive during a transaction share the next one. Each has its outcome after that COMMIT.
import { classifyDatabaseError } from '../../platform/database/databaseErrors.ts';
import { retryConflicts } from '../../platform/database/transaction.ts';
import { AppError, unavailable } from '../../platform/errors.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import { type Upload, type UploadOutcome, uploadSize } from '../upload.ts';
import type { StoredDevice } from './uploadsStore.ts';

export interface GroupCommitOptions extends QueueBounds {
  /** Transactions that run side by side, at most; one more may wait behind one of them. */
  transactionsAtOnce: number;
  /** A transaction that runs for longer counts as slow: then another one begins although no whole batch waits. */
  slowMillis: number;
  /**
   * After this time an upload is refused with `unavailable`. It is then unknown whether it was stored, and a retry is
   * safe.
   */
  respondWithinMillis: number;
  /** How long the next transaction waits after one that took so many milliseconds. Default: not at all. */
  pauseMillis?: (tookMillis: number) => number;
}

/**
 * Commits one transaction with the whole batch, or throws; then nothing is known to be stored. A `behind` transaction
 * is sent behind the running transaction when the store can do that, and beside it otherwise.
 */
export type StoreBatch = (uploads: Upload[], options: StoreOptions) => Promise<StoredBatch>;

export interface StoredBatch {
  /** One for each upload, in the order given. */
  outcomes: UploadOutcome[];
  eventsInserted: number;
  /** By each upload with `counted` that was stored. */
  added?: readonly Added[];
}

/** What an upload with `counted` has added, and to which device. */
export interface Added {
  upload: Upload;
  bytes: number;
  device: StoredDevice;
}

/** Called with the length of the user properties of each device that a delta has changed, also before a rollback. */
export type Measured = (key: string, characters: number) => void;

export interface StoreOptions {
  behind: boolean;
  /** The batch is never sent behind another one, and teaches nothing about other batches. */
  apart?: boolean;
  /** The uploads may be behind rows that are held for long. */
  held?: boolean;
  measured?: Measured;
}

/** The failure of a batch in which an upload has waited too long for a row on a node of a cluster. */
export class RowsHeld extends Error {
  constructor(cause: unknown) {
    super('a row of the batch is held on a node', { cause });
  }
}

/** What a group commit asks and tells its owner. */
export interface GroupCommitHooks {
  metrics: Metrics;
  /** Whether another upload is being read, which will soon wait here. */
  isReading: () => boolean;
  /** Called when a transaction has taken a batch out of the queue. */
  batchTaken: () => void;
  /** Takes the uploads of a batch that has failed with `RowsHeld`. Default: they fail. */
  setApart?: (waiting: Waiting) => void;
}

export class GroupCommit {
  readonly #queue: UploadQueue;
  readonly #store: StoreBatch;
  readonly #options: GroupCommitOptions;
  readonly #hooks: GroupCommitHooks;
  readonly #transactions: TransactionsUnderWay;
  /** Whether a check for what may begin is scheduled. */
  #beginning = false;
  #storing = 0;

  constructor(store: StoreBatch, options: GroupCommitOptions, hooks: GroupCommitHooks) {
    this.#queue = new UploadQueue(options);
    this.#store = store;
    this.#options = options;
    this.#hooks = hooks;
    this.#transactions = new TransactionsUnderWay(options.slowMillis, () => this.beginSoon());
  }

  /** Uploads that wait for a transaction. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Uploads that a transaction has taken and that have no outcome yet. */
  get storing(): number {
    return this.#storing;
  }

  get full(): boolean {
    return this.#queue.full;
  }

  /** Whether the waiting uploads are enough for a transaction as large as its bounds allow. */
  holdsBatch(): boolean {
    return this.#queue.holdsBatch();
  }

  /**
   * Waits for a transaction and resolves after its COMMIT; `eventsSent` counts received events, repeated ones included.
   * Throws `unavailable` or `validation_failed`, and counts the events then, too.
   */
  store(upload: Upload, eventsSent: number): Promise<UploadOutcome> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        if (this.#queue.remove(waiting)) return this.#fail(waiting, unavailable());
        // Its events are counted when its transaction has ended.
        this.#storingEnds(waiting);
        reject(unavailable());
      }, this.#options.respondWithinMillis);
      const waiting: Waiting = {
        upload,
        eventsSent,
        characters: uploadSize(upload),
        since: performance.now(),
        storing: false,
        resolve: (outcome) => (clearTimeout(timer), resolve(outcome)),
        reject: (error) => (clearTimeout(timer), reject(error)),
      };
      if (this.#queue.push(waiting)) this.beginSoon();
      else this.#fail(waiting, unavailable());
    });
  }

  /** Begins in the next turn of the event loop: requests that are read in one turn share a transaction. */
  beginSoon(): void {
    if (this.#beginning || !this.#mayBegin()) return;
    this.#beginning = true;
    setImmediate(() => {
      this.#beginning = false;
      this.#begin();
    });
  }

  /**
   * One transaction runs. Another runs beside it only for a whole batch, or where the first is slow: in small batches each
   * upload costs more. Two from the start took 64 connections a quarter more processor time (docs/decisions/group-commit.md).
   */
  #mayBegin(): boolean {
    if (this.#queue.length === 0) return false;
    const { running, allSlow } = this.#transactions;
    const mayRunBeside = running < this.#options.transactionsAtOnce && (allSlow || this.#queue.holdsBatch());
    return mayRunBeside || this.#mayStandBehind();
  }

  /**
   * The next transaction is sent behind the running one when no upload is left to read and it has as many uploads: 1.14
   * times the events a second (docs/decisions/transaction-pipeline.md).
   */
  #mayStandBehind(): boolean {
    const { isReading } = this.#hooks;
    return this.#transactions.takesAnother && !isReading() && this.#queue.length >= this.#storing;
  }

  #begin(): void {
    while (this.#mayBegin()) void this.#writeNext({ behind: this.#mayStandBehind() });
  }

  /** Never rejects: `#write` hands every failure to the uploads it concerns. */
  async #writeNext({ behind }: { behind: boolean }): Promise<void> {
    const batch = this.#queue.takeBatch();
    for (const waiting of batch) waiting.storing = true;
    this.#storing += batch.length;
    const work = async (): Promise<void> => {
      const begun = performance.now();
      await this.#write(batch, { behind });
      for (const waiting of batch) this.#storingEnds(waiting);
      const pause = this.#options.pauseMillis?.(performance.now() - begun) ?? 0;
      if (pause > 0) await new Promise<void>((resolve) => setTimeout(resolve, pause).unref());
    };
    const transaction = this.#transactions.during(work, { behind });
    this.#hooks.batchTaken();
    await transaction;
    this.#begin();
  }

  /** Called when the transaction has ended, or earlier when the upload's time limit has passed. */
  #storingEnds(waiting: Waiting): void {
    if (waiting.storing) this.#storing -= 1;
    waiting.storing = false;
  }

  /** A batch that fails for its data is halved until the upload at fault is alone, so that no upload fails for another. */
  async #write(batch: Waiting[], { behind } = { behind: false }): Promise<void> {
    const begun = performance.now();
    try {
      const uploads = batch.map(({ upload }) => upload);
      const stored = await retryConflicts((attempt) => this.#store(uploads, { behind: behind && attempt === 1 }));
      this.#countStored(batch, stored, performance.now() - begun);
      // In the same turn in which the next transaction is sent: in a later turn, 0.97 times the events a second
      // (docs/decisions/upload-reading.md).
      batch.forEach(({ resolve }, index) => resolve(stored.outcomes[index]!));
    } catch (error) {
      const failure = classifyDatabaseError(error);
      const { setApart } = this.#hooks;
      if (error instanceof RowsHeld && setApart) batch.forEach(setApart);
      else if (failure === 'unavailable' || failure === 'conflict') {
        for (const waiting of batch) this.#fail(waiting, unavailable(error));
      } else if (batch.length > 1) {
        const middle = batch.length >> 1;
        await this.#write(batch.slice(0, middle));
        await this.#write(batch.slice(middle));
      } else {
        this.#fail(batch[0]!, failure === 'data' ? this.#unstorable(error) : (error as Error));
      }
    }
  }

  #countStored(batch: Waiting[], { outcomes, eventsInserted }: StoredBatch, millis: number): void {
    const none = { stored: 0, repeated: 0, nonce_reused: 0, over_quota: 0, node_away: 0 };
    const sent: Record<UploadOutcome, number> = none;
    batch.forEach(({ eventsSent }, index) => (sent[outcomes[index]!] += eventsSent));
    const uploads = outcomes.filter((outcome) => outcome !== 'over_quota' && outcome !== 'node_away').length;
    const duplicate = sent.stored + sent.repeated - eventsInserted;
    const counts = {
      inserted: eventsInserted,
      duplicate,
      rejected: sent.nonce_reused + sent.over_quota + sent.node_away,
    };
    this.#hooks.metrics.batchStored({ uploads, millis, ...counts });
  }

  #fail({ eventsSent, reject }: Waiting, error: Error): void {
    this.#hooks.metrics.eventsRejected(eventsSent);
    reject(error);
  }

  #unstorable(cause: unknown): AppError {
    this.#hooks.metrics.uploadUnstorable();
    const fields = [{ path: '', message: 'holds a value that cannot be stored' }];
    return new AppError('validation_failed', { fields }, { cause });
  }
}

// The queue of uploads that wait for a transaction: how many may wait, and how many of them make a batch.

export interface QueueBounds {
  /** How many uploads may wait, and with how many characters of JSON together. Beyond either, one more is refused. */
  queueSize: number;
  queueCharacters: number;
  /** The queue is also full while its oldest upload has waited longer: the database or this process is behind then. */
  queueMillis: number;
  /** Bounds of one transaction. A single larger upload makes a transaction of its own. */
  batchUploads: number;
  batchEvents: number;
  batchCharacters: number;
}

export interface Waiting {
  upload: Upload;
  /** As received, repeated events included. */
  eventsSent: number;
  characters: number;
  /** Of `performance.now()`. */
  since: number;
  /** A running transaction has taken the upload, and the upload has no outcome yet. */
  storing: boolean;
  resolve: (outcome: UploadOutcome) => void;
  reject: (error: Error) => void;
}

interface Measure {
  uploads: number;
  events: number;
  characters: number;
}

export class UploadQueue {
  readonly #bounds: QueueBounds;
  readonly #queue: Waiting[] = [];
  readonly #total: Measure = { uploads: 0, events: 0, characters: 0 };

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  get length(): number {
    return this.#queue.length;
  }

  /** Called before any work on an upload. An upload that has been read and checked may still be added. */
  get full(): boolean {
    const { queueSize, queueCharacters, queueMillis } = this.#bounds;
    const [oldest] = this.#queue;
    if (!oldest) return false;
    if (this.length >= queueSize || this.#total.characters >= queueCharacters) return true;
    return performance.now() - oldest.since > queueMillis;
  }

  /**
   * False when the upload is beyond a bound; nothing is done then. An empty queue has room for any upload: the limits
   * of a body bound it.
   */
  push(waiting: Waiting): boolean {
    const { queueSize, queueCharacters } = this.#bounds;
    if (this.length >= queueSize) return false;
    if (this.length > 0 && this.#total.characters + waiting.characters > queueCharacters) return false;
    this.#queue.push(waiting);
    add(this.#total, waiting, 1);
    return true;
  }

  /** Whether the waiting uploads are enough for a transaction as large as its bounds allow. */
  holdsBatch(): boolean {
    return reaches(this.#total, this.#bounds);
  }

  takeBatch(): Waiting[] {
    const batch: Measure = { uploads: 0, events: 0, characters: 0 };
    for (const waiting of this.#queue) {
      const alone = batch.uploads === 0;
      add(batch, waiting, 1);
      if (exceeds(batch, this.#bounds) && !alone) return this.#take(0, batch.uploads - 1);
    }
    return this.#take(0, batch.uploads);
  }

  /** False when it no longer waits. */
  remove(waiting: Waiting): boolean {
    const position = this.#queue.indexOf(waiting);
    if (position >= 0) this.#take(position, 1);
    return position >= 0;
  }

  #take(position: number, count: number): Waiting[] {
    const taken = this.#queue.splice(position, count);
    for (const waiting of taken) add(this.#total, waiting, -1);
    return taken;
  }
}

function add(measure: Measure, { upload, characters }: Waiting, sign: 1 | -1): void {
  measure.uploads += sign;
  measure.events += sign * upload.events.length;
  measure.characters += sign * characters;
}

function reaches({ uploads, events, characters }: Measure, bounds: QueueBounds): boolean {
  return uploads >= bounds.batchUploads || events >= bounds.batchEvents || characters >= bounds.batchCharacters;
}

function exceeds({ uploads, events, characters }: Measure, bounds: QueueBounds): boolean {
  return uploads > bounds.batchUploads || events > bounds.batchEvents || characters > bounds.batchCharacters;
}

// The transactions under way: which run, which one waits behind another, and which are slow.

interface Transaction {
  /** The transaction whose end it waits for. */
  predecessor: Transaction | null;
  slow: boolean;
  timer: NodeJS.Timeout | undefined;
}

export class TransactionsUnderWay {
  readonly #all = new Set<Transaction>();
  readonly #slowMillis: number;
  readonly #grewSlow: () => void;

  /** `grewSlow` is called when a transaction has run for `slowMillis`. The time that it waited behind another does not count. */
  constructor(slowMillis: number, grewSlow: () => void) {
    this.#slowMillis = slowMillis;
    this.#grewSlow = grewSlow;
  }

  /** The number of transactions that wait for no other. */
  get running(): number {
    return this.#running().length;
  }

  /** Whether each transaction that runs is slow; true, too, where none runs. */
  get allSlow(): boolean {
    return this.#running().every(({ slow }) => slow);
  }

  /** Whether another may wait behind: only one transaction is under way, and it is not slow. */
  get takesAnother(): boolean {
    return this.#all.size === 1 && !this.allSlow;
  }

  /** `work` counts as a transaction until it is over. With `behind` it waits for the only other one. */
  async during(work: () => Promise<void>, { behind }: { behind: boolean }): Promise<void> {
    const [predecessor = null] = behind ? this.#all : [];
    const transaction: Transaction = { predecessor, slow: false, timer: undefined };
    this.#all.add(transaction);
    if (predecessor === null) this.#watch(transaction);
    await work();
    clearTimeout(transaction.timer);
    this.#all.delete(transaction);
    for (const other of this.#all) {
      if (other.predecessor === transaction) this.#watch(other);
    }
  }

  #running(): Transaction[] {
    return [...this.#all].filter(({ predecessor }) => predecessor === null);
  }

  /** Called when it begins to run: from then on it may grow slow. */
  #watch(transaction: Transaction): void {
    transaction.predecessor = null;
    transaction.timer = setTimeout(() => {
      transaction.slow = true;
      this.#grewSlow();
    }, this.#slowMillis);
  }
}
