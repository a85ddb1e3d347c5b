// The follower of the copy rests only where something else keeps the event loop busy.
import { setTimeout as pause } from 'node:timers/promises';
import { restAfter } from '../../src/analytics/copy/restAfter.ts';

function work(millis: number): void {
  for (const until = performance.now() + millis; performance.now() < until;);
}

test('twice the time of the step where the event loop was busy', () => {
  const rest = restAfter();
  work(60);
  expect(rest(Date.now())).toBeGreaterThanOrEqual(120);
});

test('not at all where the step waited for the database', async () => {
  const rest = restAfter();
  work(1);
  // Much longer than a busy machine interrupts the work.
  await pause(500);
  expect(rest(Date.now())).toBe(0);
});

test('not at all where the copy is far behind, so that removals are out in time', () => {
  const rest = restAfter();
  work(60);
  expect(rest(Date.now() - 20_001)).toBe(0);
});
