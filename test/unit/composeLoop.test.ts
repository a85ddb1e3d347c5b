// The parts of the event loop beside uploads: that of large requests, and when uploads are short of the thread.
import { setImmediate as round, setTimeout as pause } from 'node:timers/promises';
import { watchUploads } from '../../src/analytics/engine/besideUploads.ts';
import { createLoop, threadTimes } from '../../src/compose/composeLoop.ts';
import { eventually } from '../support/eventually.ts';

function hold(millis: number): void {
  const end = performance.now() + millis;
  while (performance.now() < end);
}

test('large requests rest longer than those of users, and only beside busy uploads', async () => {
  let busy = true;
  const loop = createLoop(() => busy);
  for (let upload = 0; upload < 20; upload++) loop.needed();
  await loop.large.turn('a');
  hold(50);
  await round();
  let rested = false;
  void loop.large.turn('a').then(() => (rested = true));
  await loop.users.turn('a');
  busy = false;
  await loop.large.turn('a');
  expect(rested).toBe(false);
});

test('uploads are short of a thread that is held, although another core waits', async () => {
  const isShort = watchUploads(() => 64, threadTimes);
  await pause(600);
  // Other programs may hold the processor while this thread has nothing to do.
  await eventually(
    () => Promise.resolve(isShort()),
    (short) => !short,
  );
  const end = performance.now() + 30_000;
  while (!isShort() && performance.now() < end) {
    hold(20);
    await round();
  }
  expect(isShort()).toBe(true);
});
