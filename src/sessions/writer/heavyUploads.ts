// Devices whose stored user properties are long, and the transactions of their uploads, apart from those of other uploads.
import type { DeviceRow } from '../upload.ts';
import { GroupCommit, type GroupCommitOptions, type StoreBatch, type Surroundings } from './groupCommit.ts';

/** A change of so many characters costs PostgreSQL about 2 ms, and one of 3.5 million characters 90 ms. */
const heavyCharacters = 65_536;
const devicesKept = 10_000;

/** What this process knows: a process learns from the first change that it stores for a device. */
export class HeavyDevices {
  readonly #keys = new Set<string>();

  /** All uploads of such a device are heavy: an empty delta in another queue would overtake the change before it. */
  has({ key, userProperties }: Pick<DeviceRow, 'key' | 'userProperties'>): boolean {
    if (userProperties.length > heavyCharacters) this.learn(key, userProperties.length);
    return this.#keys.has(key);
  }

  /** A device stays heavy until so many others came later. */
  learn(key: string, characters: number): void {
    if (characters <= heavyCharacters) return;
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size > devicesKept) this.#keys.delete(this.#keys.values().next().value!);
  }
}

/**
 * One upload at a time, and a rest of three times its duration: heavy uploads take at most a quarter of one connection. The
 * longest rest is a second, so that a database that stalls does not stop them.
 */
export function createHeavyCommits(
  store: StoreBatch,
  options: GroupCommitOptions,
  { metrics, setApart }: Pick<Surroundings, 'metrics' | 'setApart'>,
): GroupCommit {
  const bounds = { ...options, lanes: 1, batchUploads: 1, queueSize: 16 };
  const restMillis = (tookMillis: number): number => Math.min(3 * tookMillis, 1_000);
  const surroundings = { metrics, isReading: () => true, batchTaken: () => undefined, setApart };
  const apart: StoreBatch = (uploads, how) => store(uploads, { ...how, apart: true });
  return new GroupCommit(apart, { ...bounds, restMillis }, surroundings);
}
