// Moves time forward without a wait, for code that computes ages by `performance.now()`. Timers keep their pace.
import { jest } from '@jest/globals';

let moved = 0;
const realNow = performance.now.bind(performance);
afterAll(() => {
  jest.restoreAllMocks();
});

/** Until the end of the test file. */
export function moveClock(millis: number): void {
  if (moved === 0) jest.spyOn(performance, 'now').mockImplementation(() => realNow() + moved);
  moved += millis;
}
