// The uploads that wait for a transaction, in order of arrival: how many may wait, and how many of them make a batch.
import type { Upload, UploadOutcome } from '../upload.ts';

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
