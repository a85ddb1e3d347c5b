// The only entrance for uploads: each waits for the turn of its application, is read, and is stored in one transaction with other uploads.
import { unavailable } from '../../platform/errors.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import { Turns } from '../../platform/turns.ts';
import type { Upload, UploadOutcome } from '../upload.ts';
import { GroupCommit, type GroupCommitOptions, type StoreBatch } from './groupCommit.ts';
import { createHeavyCommits, HeavyDevices } from './heavyUploads.ts';
import { createHeldCommits, HeldDevices } from './heldUploads.ts';
import type { Waiting as WaitingRows } from './uploadQueue.ts';

export interface UploadWriterOptions extends GroupCommitOptions {
  /** Uploads that are read side by side, at most. */
  readAtOnce: number;
}

/** What the edge and the operation know of the writer. */
export type Uploads = Pick<UploadWriter, 'isFull' | 'take'>;

/** The place of one upload in the writer. Only `take` makes a place, and no upload is read without one. */
class UploadPlace {
  readonly #metrics: Metrics;
  #events = 0;

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  /** Call it with the body, any JSON value, before the body is checked: its events count as received from here on. */
  receive(body: unknown): void {
    const events = countEvents(body);
    this.#events += events;
    this.#metrics.eventsReceived(events);
  }

  /** Invalid and repeated events included. */
  get eventsReceived(): number {
    return this.#events;
  }
}
export type { UploadPlace };

interface Waiting {
  begin(): void;
  refuse(): void;
}

export class UploadWriter {
  readonly #commits: GroupCommit;
  readonly #heavy = new HeavyDevices();
  readonly #heavyCommits: GroupCommit;
  readonly #held = new HeldDevices();
  readonly #heldCommits: GroupCommit;
  readonly #options: UploadWriterOptions;
  readonly #metrics: Metrics;
  /** Uploads that have a place, until they have their outcome. */
  #places = 0;
  /** Those of them whose turn has come. */
  #begun = 0;
  /** The others, which wait in turns of their applications. */
  readonly #unread = new Turns<Waiting>();

  constructor(store: StoreBatch, options: UploadWriterOptions, metrics: Metrics) {
    this.#options = options;
    this.#metrics = metrics;
    const isReading = (): boolean => this.#beingRead > 0;
    const measured = this.#heavy.learn.bind(this.#heavy);
    const learning: StoreBatch = (uploads, how) => store(uploads, { ...how, measured });
    const setApart = (waiting: WaitingRows): void => this.#setApart(waiting);
    const batchTaken = (): void => this.#readOn();
    this.#commits = new GroupCommit(learning, options, { metrics, isReading, batchTaken, setApart });
    this.#heavyCommits = createHeavyCommits(learning, options, { metrics, setApart });
    this.#heldCommits = createHeldCommits(this.#held.forgetting(learning), options, metrics);
    metrics.observeQueue(() => this.#unread.length + this.#commits.waiting + this.#apart((commits) => commits.waiting));
  }

  /**
   * Whether an upload of this application that arrived now would be refused: the edge asks before it reads a byte of the
   * body. `isCrowded` says that the waiting bodies take the memory that they may. Where many uploads of one application
   * wait, one of another application takes the place of the latest of them.
   */
  isFull(applicationId: string, isCrowded = false): boolean {
    if (this.#commits.full) return true;
    return (isCrowded || !this.#hasPlace()) && !this.#unread.mayPushOut(applicationId);
  }

  #hasPlace(): boolean {
    return this.#places - this.#commits.storing - this.#apartUnderWay < this.#options.queueSize;
  }

  /**
   * Throws `unavailable` when there is no place. Otherwise it calls `read` in its turn, stores the result, and resolves
   * after COMMIT. Every event that its place received counts once, as inserted, duplicate or rejected. An upload takes
   * its place before it is read: otherwise the service would read and check all uploads of a pause, and refuse most of
   * them afterwards.
   */
  async take(applicationId: string, read: (place: UploadPlace) => Promise<Upload>): Promise<UploadOutcome> {
    if (this.isFull(applicationId)) throw unavailable();
    if (!this.#hasPlace()) this.#unread.pushOut()!.refuse();
    const place = new UploadPlace(this.#metrics);
    const since = performance.now();
    this.#places += 1;
    await this.#turn(applicationId);
    try {
      if (performance.now() - since > this.#options.answerWithinMillis) throw unavailable();
      let upload: Upload;
      try {
        upload = await read(place);
      } catch (error) {
        this.#metrics.eventsRejected(place.eventsReceived);
        throw error;
      }
      const stored = this.#commitsOf(upload).store(upload, place.eventsReceived);
      this.#readOn();
      return await stored;
    } finally {
      this.#places -= 1;
      this.#begun -= 1;
      this.#readOn();
      this.#commits.beginSoon();
    }
  }

  #commitsOf({ device }: Upload): GroupCommit {
    if (this.#held.has(device.key)) return this.#heldCommits;
    return this.#heavy.has(device) ? this.#heavyCommits : this.#commits;
  }

  /** Its batch goes no further for it. Its client waits for the attempt that it gets apart. */
  #setApart({ upload, eventsSent, resolve, reject }: WaitingRows): void {
    this.#held.add(upload.device.key);
    this.#heldCommits.store(upload, eventsSent).then(resolve, reject);
  }

  #turn(applicationId: string): Promise<void> {
    return new Promise((begin, reject) => {
      const refuse = (): void => {
        this.#places -= 1;
        reject(unavailable());
      };
      this.#unread.add(applicationId, { begin, refuse });
      this.#readOn();
    });
  }

  /**
   * Beyond a whole batch and the uploads that are being read, uploads wait as bytes: rows are many objects, and each
   * garbage collection copies waiting rows. The service took 273 instead of 252 at five times the load
   * (docs/decisions/upload-reading.md).
   */
  #readOn(): void {
    const mayRead = (): boolean => this.#beingRead < this.#options.readAtOnce && !this.#commits.holdsBatch();
    while (this.#unread.length > 0 && mayRead()) {
      this.#begun += 1;
      this.#unread.next()!.item.begin();
    }
  }

  get #beingRead(): number {
    return this.#begun - this.#commits.storing - this.#commits.waiting - this.#apartUnderWay;
  }

  /** They have bounds of their own, and take no place from other uploads. */
  get #apartUnderWay(): number {
    return this.#apart(({ storing, waiting }) => storing + waiting);
  }

  #apart(count: (commits: GroupCommit) => number): number {
    return count(this.#heavyCommits) + count(this.#heldCommits);
  }
}

function countEvents(body: unknown): number {
  let count = 0;
  for (const session of listAt(body, 'sessions')) count += listAt(session, 'events').length;
  return count;
}

function listAt(value: unknown, name: string): unknown[] {
  const list = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return Array.isArray(list) ? list : [];
}
