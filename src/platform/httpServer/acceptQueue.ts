// Tells how long connections have been waiting to be accepted: in a flood the kernel's queue is never empty.
import type { Server } from 'node:http';

/**
 * libuv accepts one connection in each round of the event loop, if one waits. So a round without one has found the
 * queue empty, and every connection that is accepted now came after that round.
 */
class AcceptQueue {
  #accepted = false;
  #looking = false;
  #since = 0;

  noteAccepted(): void {
    this.#accepted = true;
    if (this.#looking) return;
    this.#looking = true;
    this.#since = performance.now();
    setImmediate(this.#look);
  }

  /** Asks for another round that does not sleep, until one of them accepts nothing. */
  readonly #look = (): void => {
    this.#looking = this.#accepted;
    this.#accepted = false;
    if (this.#looking) setImmediate(this.#look);
  };

  get waitedMillis(): number {
    return this.#looking ? performance.now() - this.#since : 0;
  }
}

/** Of the process: all its listeners share one event loop. */
const queue = new AcceptQueue();

export function watchAcceptQueue(server: Server): void {
  server.on('connection', () => queue.noteAccepted());
}

/** Less is the time of a long round. */
const longMillis = 20;

/** Whether connections have been waiting to be accepted, and not only for a round. */
export const connectionsWait = (): boolean => queue.waitedMillis > longMillis;
