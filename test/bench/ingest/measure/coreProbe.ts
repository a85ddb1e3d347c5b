// What the machine's cores are worth right now: one thread on each of them, alone and then all at once.
//
// The cores of a virtual machine may be threads of one core of the host, which moves them as it likes, and so may those
// of its neighbours. Two that share a core do 0.6 of what each does alone, and no counter of the guest shows it: for its
// scheduler they are just as busy. A service, its database and its load would be slowed then, and one connection that copies not.
import { once } from 'node:events';
import os from 'node:os';
import { Worker } from 'node:worker_threads';
import { projectFile } from '../../../../src/platform/projectRoot.ts';

export interface CoreState {
  /** What all do at once, in what one does alone: at most the number of cores, but for the noise. */
  cores: number;
  /** What one does alone, in uploads read in a millisecond: comes down where a neighbour has the core's other thread. */
  speed: number;
}

const program = projectFile('dist', 'test', 'bench', 'ingest', 'measure', 'coreWorker.js');
const measuredMillis = 50;
/** The first milliseconds of a core that slept are slow. */
const wakingMillis = 10;
/** V8 compiles the loop. */
const warmUpMillis = 500;

export class CoreProbe {
  readonly #workers: Worker[];

  private constructor(workers: Worker[]) {
    this.#workers = workers;
  }

  static async start(): Promise<CoreProbe> {
    const probe = new CoreProbe(Array.from({ length: os.availableParallelism() }, () => new Worker(program)));
    await probe.#rates(probe.#workers, warmUpMillis);
    return probe;
  }

  /** Takes a quarter of a second on two cores, in which nothing else should run. */
  async measure(): Promise<CoreState> {
    const alone: number[] = [];
    for (const worker of this.#workers) alone.push(...(await this.#rates([worker])));
    const together = await this.#rates(this.#workers);
    const speed = sum(alone) / alone.length;
    return { cores: sum(together) / speed, speed };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  async #rates(workers: Worker[], millis = measuredMillis): Promise<number[]> {
    await ask(workers, wakingMillis);
    return ask(workers, millis);
  }
}

function ask(workers: Worker[], millis: number): Promise<number[]> {
  return Promise.all(
    workers.map(async (worker) => {
      worker.postMessage(millis);
      const [rate] = (await once(worker, 'message')) as [number];
      return rate;
    }),
  );
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
