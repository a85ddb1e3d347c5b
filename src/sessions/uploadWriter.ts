// Group commit: uploads that arrive while a transaction runs share the next one, and each is answered after its COMMIT.
import { AppError } from '../platform/errors.ts';
import { classifyDatabaseError } from '../platform/database.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { StoredBatch } from './storeUploads.ts';
import { uploadSize, type Upload, type UploadOutcome } from './upload.ts';

export interface UploadWriterOptions {
  /** Uploads that may wait, and the characters of JSON that they may hold together; beyond either one more is refused. */
  queueSize: number;
  queueCharacters: number;
  /** Transactions that run side by side. */
  lanes: number;
  /** Bounds of one transaction; a single larger upload makes one of its own. */
  batchUploads: number;
  batchEvents: number;
  batchCharacters: number;
  /** After this an upload is refused with `unavailable`; whether it was stored is then unknown, and a retry is safe. */
  answerWithinMillis: number;
}

interface Waiting {
  upload: Upload;
  characters: number;
  resolve: (outcome: UploadOutcome) => void;
  reject: (error: Error) => void;
}

/** `store` commits one transaction holding the whole batch, or throws and has stored nothing that is known. */
export type StoreBatch = (uploads: Upload[]) => Promise<StoredBatch>;

export class UploadWriter {
  readonly #queue: Waiting[] = [];
  readonly #store: StoreBatch;
  readonly #options: UploadWriterOptions;
  readonly #metrics: Metrics;
  #busyLanes = 0;
  #waitingCharacters = 0;

  constructor(store: StoreBatch, options: UploadWriterOptions, metrics: Metrics) {
    this.#store = store;
    this.#options = options;
    this.#metrics = metrics;
    metrics.observeQueue(() => this.#queue.length);
  }

  submit(upload: Upload): Promise<UploadOutcome> {
    const characters = uploadSize(upload);
    if (this.#isFull(characters)) return Promise.reject(unavailable());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const position = this.#queue.indexOf(waiting);
        if (position >= 0) this.#take(position, 1);
        reject(unavailable());
      }, this.#options.answerWithinMillis);
      const waiting: Waiting = {
        upload,
        characters,
        resolve: (outcome) => (clearTimeout(timer), resolve(outcome)),
        reject: (error) => (clearTimeout(timer), reject(error)),
      };
      this.#queue.push(waiting);
      this.#waitingCharacters += characters;
      this.#startLane();
    });
  }

  #startLane(): void {
    if (this.#busyLanes < this.#options.lanes) void this.#runLane();
  }

  /** Never rejects: `#write` hands every failure to the uploads it concerns. */
  async #runLane(): Promise<void> {
    this.#busyLanes += 1;
    // Requests read in the same turn of the event loop join one batch.
    await new Promise(setImmediate);
    for (let batch = this.#takeBatch(); batch.length > 0; batch = this.#takeBatch()) await this.#write(batch);
    this.#busyLanes -= 1;
  }

  #takeBatch(): Waiting[] {
    const { batchUploads, batchEvents, batchCharacters } = this.#options;
    let events = 0;
    let total = 0;
    let size = 0;
    for (const { upload, characters } of this.#queue) {
      events += upload.events.length;
      total += characters;
      if (size > 0 && (size >= batchUploads || events > batchEvents || total > batchCharacters)) break;
      size += 1;
    }
    return this.#take(0, size);
  }

  #take(position: number, count: number): Waiting[] {
    const taken = this.#queue.splice(position, count);
    for (const { characters } of taken) this.#waitingCharacters -= characters;
    return taken;
  }

  /** An upload alone is never too large: the limits of a body bound it. */
  #isFull(characters: number): boolean {
    const { queueSize, queueCharacters } = this.#options;
    if (this.#queue.length >= queueSize) return true;
    return this.#queue.length > 0 && this.#waitingCharacters + characters > queueCharacters;
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
