// Gives new sessions their numbers and arrival times without a query: from a stock of the sequence's numbers and the database's clock.
import type { DrawnNumbers } from './newUploadsStore.ts';

export interface Arrivals {
  /** As many as asked for. No number is given twice. */
  refs: number[];
  /** Unix seconds by the database's clock. The session's row and the anchor of its events both have it, so they agree. */
  receivedAt: number;
}

/** One draw takes the database 0.5 ms, once a second at full speed. A process that ends loses the rest of its stock. */
const stockSize = 4_096;
/** The clock is that of the last draw plus the time since. After so long a new draw follows a clock that was set. */
const stockMillis = 60_000;

/** Called where the stock is too small or too old. */
export type DrawNumbers = (count: number) => Promise<DrawnNumbers>;
/** `draw` uses the caller's connection: waiting for a second one while holding a first could block the pool. */
export type TakeNumbers = (count: number, draw: DrawNumbers) => Promise<Arrivals>;

/** Numbers ascend, so that new events land on the right edge of their index. */
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
