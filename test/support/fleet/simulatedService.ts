// A service in simulated time: a bounded queue, refusals that take work from uploads, and the real Retry-After.
import { RetryAfter } from '../../../src/http/responses.ts';

export interface ServiceModel {
  /** Uploads a second when nothing is refused. */
  perSecond: number;
  /** As INGEST_QUEUE_UPLOADS. */
  queueUploads: number;
  /** The part of an upload's work that a refusal costs. */
  refusalCost: number;
  /** The part of its time that uploads get, however much it has to refuse. */
  leastForUploads: number;
}

/** What the service does with a request: it stores a queued one when its turn has come. */
export type Told = 'queued' | { retryAfterSeconds: number };

export class SimulatedService {
  readonly #model: ServiceModel;
  readonly #retryAfter: RetryAfter;
  readonly #queue: number[] = [];
  /** Seconds of work, of refusals without a response and for uploads. */
  #owed = 0;
  #forUploads = 0;
  /** Its database is away: it refuses everything. */
  isAway = false;

  constructor(model: ServiceModel, clock: { uptime(): number; random(): number }) {
    this.#model = model;
    this.#retryAfter = new RetryAfter(clock);
  }

  receive(device: number): Told {
    const { queueUploads, refusalCost, perSecond } = this.#model;
    if (!this.isAway && this.#queue.length < queueUploads) {
      this.#queue.push(device);
      return 'queued';
    }
    this.#owed += refusalCost / perSecond;
    return { retryAfterSeconds: this.#retryAfter.refuse() };
  }

  /** How long a refusal of this moment waits for its response. */
  get delaySeconds(): number {
    return this.#owed / (1 - this.#model.leastForUploads);
  }

  /** Does the work of a tick, and returns the devices whose uploads it has stored. */
  work(seconds: number): number[] {
    const refusing = Math.min(this.#owed, seconds * (1 - this.#model.leastForUploads));
    this.#owed -= refusing;
    this.#forUploads = Math.min(this.#forUploads, 0) + seconds - refusing;
    const stored = this.#queue.splice(0, Math.max(0, Math.ceil(this.#forUploads * this.#model.perSecond)));
    this.#forUploads -= stored.length / this.#model.perSecond;
    for (let count = 0; count < stored.length; count++) this.#retryAfter.noteTaken();
    return stored;
  }
}
