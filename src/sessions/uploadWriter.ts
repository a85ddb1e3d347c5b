// Group commit: uploads that arrive while a transaction runs share the next one, and each is answered after its COMMIT.
import { AppError } from '../platform/errors.ts';
import { classifyDatabaseError } from '../platform/database.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { StoredBatch } from './storeUploads.ts';
import type { Upload, UploadOutcome } from './upload.ts';
import { UploadQueue, type QueueBounds, type Waiting } from './uploadQueue.ts';

export interface UploadWriterOptions extends QueueBounds {
  /** Transactions that run side by side, at most. */
  lanes: number;
  /** A transaction that takes longer counts as slow: then another one begins although no whole batch waits. */
  slowMillis: number;
  /** After this an upload is refused with `unavailable`; whether it was stored is then unknown, and a retry is safe. */
  answerWithinMillis: number;
}

/** `store` commits one transaction holding the whole batch, or throws and has stored nothing that is known. */
export type StoreBatch = (uploads: Upload[]) => Promise<StoredBatch>;

export class UploadWriter {
  readonly #queue: UploadQueue;
  readonly #store: StoreBatch;
  readonly #options: UploadWriterOptions;
  readonly #metrics: Metrics;
  #lanes = 0;
  #slowLanes = 0;

  constructor(store: StoreBatch, options: UploadWriterOptions, metrics: Metrics) {
    this.#queue = new UploadQueue(options);
    this.#store = store;
    this.#options = options;
    this.#metrics = metrics;
    metrics.observeQueue(() => this.#queue.length);
  }

  /** Whether an upload that came now would be refused. */
  get full(): boolean {
    return this.#queue.full;
  }

  submit(upload: Upload): Promise<UploadOutcome> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#queue.remove(waiting);
        reject(unavailable());
      }, this.#options.answerWithinMillis);
      const waiting: Waiting = {
        upload,
        resolve: (outcome) => (clearTimeout(timer), resolve(outcome)),
        reject: (error) => (clearTimeout(timer), reject(error)),
      };
      if (this.#queue.push(waiting)) this.#startLane();
      else waiting.reject(unavailable());
    });
  }

  /**
   * One lane, and another beside it only for a whole batch or past a slow transaction: in small batches each upload
   * costs more. Two lanes from the start took 64 connections a quarter more processor time (test/bench/README.md).
   */
  #isDue(others: number): boolean {
    return this.#queue.length > 0 && (others - this.#slowLanes <= 0 || this.#queue.holdsBatch());
  }

  #startLane(): void {
    if (this.#lanes < this.#options.lanes && this.#isDue(this.#lanes)) void this.#runLane();
  }

  /** Never rejects: `#write` hands every failure to the uploads it concerns. */
  async #runLane(): Promise<void> {
    this.#lanes += 1;
    // Requests read in the same turn of the event loop join one batch.
    await new Promise(setImmediate);
    while (this.#isDue(this.#lanes - 1)) await this.#watch(this.#write(this.#queue.takeBatch()));
    this.#lanes -= 1;
  }

  async #watch(writing: Promise<void>): Promise<void> {
    let slow = 0;
    const timer = setTimeout(() => {
      slow = 1;
      this.#slowLanes += slow;
      this.#startLane();
    }, this.#options.slowMillis);
    await writing;
    clearTimeout(timer);
    this.#slowLanes -= slow;
  }

  /** A batch that fails for its data is halved until the one at fault stands alone, so that no upload fails for another. */
  async #write(batch: Waiting[]): Promise<void> {
    try {
      const stored = await this.#storeWithRetries(batch.map(({ upload }) => upload));
      this.#metrics.batchStored(batch.length, stored);
      batch.forEach(({ resolve }, index) => resolve(stored.outcomes[index]!));
    } catch (error) {
      const failure = classifyDatabaseError(error);
      if (failure === 'unavailable' || failure === 'conflict') {
        for (const { reject } of batch) reject(unavailable(error));
      } else if (batch.length > 1) {
        const middle = batch.length >> 1;
        await this.#write(batch.slice(0, middle));
        await this.#write(batch.slice(middle));
      } else {
        batch[0]!.reject(failure === 'data' ? this.#unstorable(error) : (error as Error));
      }
    }
  }

  /** A whole transaction is tried again at most twice, and only when it met another one (40001, 40P01). */
  async #storeWithRetries(uploads: Upload[]): Promise<StoredBatch> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#store(uploads);
      } catch (error) {
        if (attempt > 2 || classifyDatabaseError(error) !== 'conflict') throw error;
      }
    }
  }

  #unstorable(cause: unknown): AppError {
    this.#metrics.unstorableUploads.inc();
    const fields = [{ path: '', message: 'holds a value that cannot be stored' }];
    return new AppError('validation_failed', { fields }, { cause });
  }
}

function unavailable(cause?: unknown): AppError {
  return new AppError('unavailable', { retryAfterSeconds: 1 }, { cause });
}
