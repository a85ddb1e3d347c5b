// Uploads behind rows that an undecided commit holds on a node of a cluster, in transactions apart from those of other uploads.
import type { Metrics } from '../../platform/observability/metrics.ts';
import type { Upload } from '../upload.ts';
import { GroupCommit, type GroupCommitOptions, type StoreBatch } from './groupCommit.ts';

const devicesKept = 10_000;

/**
 * Devices of batches that have met such a row, each until an upload of it is stored. So a held row stops one batch and no
 * further one: the next uploads of its device are tried apart.
 */
export class HeldDevices {
  readonly #keys = new Set<string>();

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  add(key: string): void {
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size > devicesKept) this.#keys.delete(this.#keys.values().next().value!);
  }

  /** The store that forgets the devices of the uploads which it has stored. */
  forgetting(store: StoreBatch): StoreBatch {
    return async (uploads: Upload[], options) => {
      const stored = await store(uploads, options);
      uploads.forEach(({ device }, index) => stored.outcomes[index] === 'stored' && this.#keys.delete(device.key));
      return stored;
    };
  }
}

/** With the 300 ms of the batch that failed, a client has its response within a second (docs/operating/cluster.md, "When a node is away"). */
const answerWithinMillis = 600;

/** One upload a transaction, four side by side. What waits for longer than 600 ms is refused. */
export function createHeldCommits(store: StoreBatch, options: GroupCommitOptions, metrics: Metrics): GroupCommit {
  const bounds = { ...options, lanes: 4, batchUploads: 1, queueSize: 64, answerWithinMillis };
  const surroundings = { metrics, isReading: () => true, batchTaken: () => undefined };
  const apart: StoreBatch = (uploads, how) => store(uploads, { ...how, apart: true, held: true });
  return new GroupCommit(apart, bounds, surroundings);
}
