// The large requests of the admin API: those of one network address run one after the other, and beside busy uploads all of them do.
import type { Cost } from './answerBudget.ts';
import { createLaneSlots } from './laneSlots.ts';
import { createTurns } from './turns.ts';

export interface LargeRequests {
  /** Of what a request has read so far. */
  areLarge(read: Cost): boolean;
  /** Resolves when a large request may go on. `ended` says when it has ended: also while it still waits. */
  turn(lane: string, ended: Promise<void>): Promise<void>;
}

/** Few screens of a dashboard read so much. */
const large = { rows: 2_000, bytes: 2 * 1_024 * 1_024 };
/** Ten requests at once of 1,999 objects each would cost busy uploads as much as one response of the longest. */
const largeBesideBusy = { rows: 500, bytes: 512 * 1_024 };

/** Of the time that a large request took. The share of the loop does not count the database's part of it. */
const restShare = 4;
const longestRestMillis = 10_000;
/** After this time a request goes on beside those of other addresses. Its slices still take turns with theirs. */
const patienceMillis = 30_000;

/** `areBusy` says whether uploads are short of the processor. */
export function createLargeRequests(areBusy: () => boolean): LargeRequests {
  const ofAddress = createLaneSlots((took) => (areBusy() ? Math.min(restShare * took, longestRestMillis) : 0));
  const ofAll = createTurns({
    atOnce: () => (areBusy() ? 1 : Infinity),
    longestQueue: Infinity,
    patienceMillis,
    refusal: () => new Error('the wait for the large requests of other addresses was long'),
  });
  return {
    areLarge({ rows, bytes }) {
      const bounds = areBusy() ? largeBesideBusy : large;
      return rows > bounds.rows || bytes > bounds.bytes;
    },
    async turn(lane, ended) {
      await ofAddress(lane, ended);
      await new Promise<void>((resolve) => {
        const run = (): Promise<void> => {
          resolve();
          return ended;
        };
        ofAll(run).catch(() => resolve());
      });
    },
  };
}
