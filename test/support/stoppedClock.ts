// Stops the clock until a test moves it, so that a pause of a busy machine cannot use up a deadline of milliseconds.
import { jest } from '@jest/globals';
import { nextTurn } from './memoryStore.ts';

/** Stops timers and `performance.now` for the tests of this file; the event loop keeps running. */
export function stopClock(): void {
  beforeEach(() => {
    jest.useFakeTimers({
      doNotFake: ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask', 'hrtime', 'Date'],
    });
  });
  afterEach(() => {
    jest.useRealTimers();
  });
}

/** Runs the timers of the next `millis` milliseconds, and two turns of the event loop after them. */
export async function passMillis(millis: number): Promise<void> {
  await jest.advanceTimersByTimeAsync(millis);
  for (let turn = 0; turn < 2; turn++) await nextTurn();
}

export const waitingTimers = (): number => jest.getTimerCount();
