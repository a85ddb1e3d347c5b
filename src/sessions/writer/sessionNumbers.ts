// Numbers and arrival times for new sessions, known before the database is asked: a stock of the sequence's numbers, and its clock.
import type { DrawnNumbers } from './newUploadsStore.ts';

export interface Arrivals {
  /** As many as were asked for, none of them given before. */
  refs: number[];
  /** Unix seconds by the database's clock. It stands in the session's row and anchors its events, so the two agree. */
  receivedAt: number;
}

/** Drawn at once: some 0.5 ms of the database, once a second at full speed. What is left when a process ends is lost. */
const stockSize = 4_096;
/** The clock is that of the last draw and the time since; a database whose clock was set is followed after this. */
const stockMillis = 60_000;

/** Asks the database for more where the stock is too small or too old. */
export type DrawNumbers = (count: number) => Promise<DrawnNumbers>;
/** Draws on the connection that the caller has: one that waited for another would keep it from whoever waits for its own. */
export type TakeNumbers = (count: number, draw: DrawNumbers) => Promise<Arrivals>;

/** In ascending order, so that new events land on the right edge of their index. */
export function createSessionNumbers(): TakeNumbers {
  let stock = { numbers: [] as number[], next: 0, now: 0, drawnAt: -Infinity };
  return async (count, draw) => {
    if (stock.numbers.length - stock.next < count || performance.now() - stock.drawnAt > stockMillis) {
      const drawnAt = performance.now();
      const { numbers, now } = await draw(Math.max(stockSize, count));
      stock = { numbers, next: 0, now, drawnAt };
    }
    const refs = stock.numbers.slice(stock.next, (stock.next += count));
    return { refs, receivedAt: stock.now + (performance.now() - stock.drawnAt) / 1_000 };
  };
}
