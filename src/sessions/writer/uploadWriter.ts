// Group commit: uploads that arrive while a transaction runs share the next one, and each is answered after its COMMIT.
import { classifyDatabaseError } from '../../platform/database/database.ts';
import { AppError, unavailable } from '../../platform/errors.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import type { Upload, UploadOutcome } from '../upload.ts';
import type { StoredBatch } from './storeUploads.ts';
import { TransactionsUnderWay } from './transactionsUnderWay.ts';
import { UploadQueue, type QueueBounds, type Waiting } from './uploadQueue.ts';

export interface UploadWriterOptions extends QueueBounds {
  /** Uploads that are read side by side, at most. */
  readAtOnce: number;
  /** Transactions that run side by side, at most; one more may wait behind one of them. */
  lanes: number;
  /** A transaction that runs for longer counts as slow: then another one begins although no whole batch waits. */
  slowMillis: number;
  /** After this an upload is refused with `unavailable`; whether it was stored is then unknown, and a retry is safe. */
  answerWithinMillis: number;
}

/**
 * Commits one transaction holding the whole batch, or throws and has stored nothing that is known; `behind` the one that is
 * under way where the store can, and beside it otherwise.
 */
export type StoreBatch = (uploads: Upload[], options: { behind: boolean }) => Promise<StoredBatch>;

/** What the edge and the operation know of it. */
export type Uploads = Pick<UploadWriter, 'full' | 'withPlace' | 'submit' | 'turnAway'>;

export class UploadWriter {
  readonly #queue: UploadQueue;
  readonly #store: StoreBatch;
  readonly #options: UploadWriterOptions;
  readonly #metrics: Metrics;
  readonly #transactions: TransactionsUnderWay;
  /** Whether the next turn of the event loop looks for what may begin. */
  #beginning = false;
  /** Uploads that have a place, until they are answered. */
  #places = 0;
  /** Those of them whose turn has come. */
  #begun = 0;
  /** Those of these that a transaction has taken. */
  #storing = 0;
  /** The turns of the others, in order of arrival. */
  readonly #unread: (() => void)[] = [];

  constructor(store: StoreBatch, options: UploadWriterOptions, metrics: Metrics) {
    this.#queue = new UploadQueue(options);
    this.#store = store;
    this.#options = options;
    this.#metrics = metrics;
    this.#transactions = new TransactionsUnderWay(options.slowMillis, () => this.#beginSoon());
    metrics.observeQueue(() => this.#unread.length + this.#queue.length);
  }

  /** Whether an upload that came now would be refused. */
  get full(): boolean {
    return this.#queue.full || this.#places - this.#storing >= this.#options.queueSize;
  }

  /**
   * A place among those that wait, from before an upload is read until it is answered; throws `unavailable` where there
   * is none. Without it, all that a pause has gathered would be read and checked, and most of it refused after. `work`
   * reads and submits; it begins in its turn.
   */
  async withPlace<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.full) throw unavailable();
    const since = performance.now();
    this.#places += 1;
    await new Promise<void>((resolve) => {
      this.#unread.push(resolve);
      this.#readOn();
    });
    try {
      if (performance.now() - since > this.#options.answerWithinMillis) throw unavailable();
      return await work();
    } finally {
      this.#places -= 1;
      this.#begun -= 1;
      this.#readOn();
      this.#beginSoon();
    }
  }

  /**
   * What is more than a batch and those that are next waits as bytes: rows are many objects, and each collection of
   * garbage copies those that wait. 273 in place of 252 were taken at five times the load
   * (docs/decisions/upload-overload.md).
   */
  #readOn(): void {
    const mayRead = (): boolean => this.#beingRead < this.#options.readAtOnce && !this.#queue.holdsBatch();
    while (this.#unread.length > 0 && mayRead()) {
      this.#begun += 1;
      this.#unread.shift()!();
    }
  }

  get #beingRead(): number {
    return this.#begun - this.#storing - this.#queue.length;
  }

  submit(upload: Upload): Promise<UploadOutcome> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        // The events of one that is being stored are counted when its transaction has ended.
        if (this.#queue.remove(waiting)) this.turnAway(upload);
        else this.#storingEnds(waiting);
        reject(unavailable());
      }, this.#options.answerWithinMillis);
      const waiting: Waiting = {
        upload,
        storing: false,
        resolve: (outcome) => (clearTimeout(timer), resolve(outcome)),
        reject: (error) => (clearTimeout(timer), reject(error)),
      };
      if (this.#queue.push(waiting)) {
        this.#beginSoon();
        return this.#readOn();
      }
      this.turnAway(upload);
      waiting.reject(unavailable());
    });
  }

  /** Counts the events of an upload that is not stored: each one that was received is counted once, here or below. */
  turnAway({ eventsSent }: Pick<Upload, 'eventsSent'>): void {
    this.#metrics.eventsRejected(eventsSent);
  }

  #countStored(batch: Waiting[], { outcomes, eventsInserted }: StoredBatch, millis: number): void {
    const sent = { stored: 0, repeated: 0, nonce_reused: 0 } satisfies Record<UploadOutcome, number>;
    batch.forEach(({ upload }, index) => (sent[outcomes[index]!] += upload.eventsSent));
    const duplicate = sent.stored + sent.repeated - eventsInserted;
    const counts = { inserted: eventsInserted, duplicate, rejected: sent.nonce_reused };
    this.#metrics.batchStored({ uploads: batch.length, millis, ...counts });
  }

  #fail({ upload, reject }: Waiting, error: Error): void {
    this.turnAway(upload);
    reject(error);
  }

  /**
   * One runs, and another beside it only for a whole batch or past a slow one: in small batches each upload costs more.
   * Two from the start took 64 connections a quarter more processor time (docs/decisions/group-commit.md).
   */
  #mayBegin(): boolean {
    if (this.#queue.length === 0) return false;
    const { running, allSlow } = this.#transactions;
    const mayRunBeside = running < this.#options.lanes && (allSlow || this.#queue.holdsBatch());
    return mayRunBeside || this.#mayStandBehind();
  }

  /**
   * The next transaction is sent behind the one that runs when there is nothing left to read and it holds as many
   * uploads: 1.14 times the events a second (docs/decisions/transaction-pipeline.md).
   */
  #mayStandBehind(): boolean {
    return this.#transactions.takesAnother && this.#beingRead === 0 && this.#queue.length >= this.#storing;
  }

  /** In the next turn of the event loop: requests that are read in one turn share a transaction. */
  #beginSoon(): void {
    if (this.#beginning || !this.#mayBegin()) return;
    this.#beginning = true;
    setImmediate(() => {
      this.#beginning = false;
      this.#begin();
    });
  }

  #begin(): void {
    while (this.#mayBegin()) void this.#writeNext({ behind: this.#mayStandBehind() });
  }

  /** Never rejects: `#write` hands every failure to the uploads it concerns. */
  async #writeNext({ behind }: { behind: boolean }): Promise<void> {
    const batch = this.#queue.takeBatch();
    for (const waiting of batch) waiting.storing = true;
    this.#storing += batch.length;
    const transaction = this.#transactions.during(() => this.#write(batch, { behind }), { behind });
    this.#readOn();
    await transaction;
    for (const waiting of batch) this.#storingEnds(waiting);
    this.#begin();
  }

  /** With its transaction, or with its answer where that came first: it has left its place then, and counts in neither. */
  #storingEnds(waiting: Waiting): void {
    if (waiting.storing) this.#storing -= 1;
    waiting.storing = false;
  }

  /** A batch that fails for its data is halved until the one at fault stands alone, so that no upload fails for another. */
  async #write(batch: Waiting[], options = { behind: false }): Promise<void> {
    const begun = performance.now();
    try {
      const uploads = batch.map(({ upload }) => upload);
      const stored = await this.#storeWithRetries(uploads, options);
      this.#countStored(batch, stored, performance.now() - begun);
      // In the turn in which the next transaction goes out: in a later one, 0.97 times the events a second
      // (docs/decisions/upload-reading-tried.md).
      batch.forEach(({ resolve }, index) => resolve(stored.outcomes[index]!));
    } catch (error) {
      const failure = classifyDatabaseError(error);
      if (failure === 'unavailable' || failure === 'conflict') {
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

  /** A whole transaction is tried again at most twice, and only when it met another one (40001, 40P01). */
  async #storeWithRetries(uploads: Upload[], { behind }: { behind: boolean }): Promise<StoredBatch> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#store(uploads, { behind: behind && attempt === 1 });
      } catch (error) {
        if (attempt > 2 || classifyDatabaseError(error) !== 'conflict') throw error;
      }
    }
  }

  #unstorable(cause: unknown): AppError {
    this.#metrics.uploadUnstorable();
    const fields = [{ path: '', message: 'holds a value that cannot be stored' }];
    return new AppError('validation_failed', { fields }, { cause });
  }
}
