// Time that passes only when a test lets it: a pause of a busy machine then cannot use up a deadline of milliseconds.
import { jest } from '@jest/globals';
import { nextTurn } from './memoryStore.ts';

/** Stops timers and `performance.now` for the tests of this file; turns of the event loop go on. */
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

/** What is due within so many milliseconds happens, and what it leaves to the next two turns of the event loop. */
export async function passMillis(millis: number): Promise<void> {
  await jest.advanceTimersByTimeAsync(millis);
  for (let turn = 0; turn < 2; turn++) await nextTurn();
}

export const waitingTimers = (): number => jest.getTimerCount();
