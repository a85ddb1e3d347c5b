// Turns of the event loop: their order, their length, and their rests while other work needs the loop.
import { setTimeout as pause } from 'node:timers/promises';
import { createLoopShare, type LoopShare } from '../../src/platform/loopShare.ts';

const bounds = {
  sliceMillis: 10,
  share: 1 / 10,
  idleShare: 0,
  burstMillis: 20,
  needed: { count: 2, withinMillis: 10_000, heldMillis: 10_000 },
};

function hold(millis: number): void {
  const end = performance.now() + millis;
  while (performance.now() < end);
}

async function work(share: LoopShare, { lane = '', pieces = 1, millis = 5 } = {}): Promise<void> {
  for (let piece = 0; piece < pieces; piece++) {
    await share.turn(lane);
    hold(millis);
  }
}

test('lanes take turns, and within a lane the first to come is the first', async () => {
  const share = createLoopShare(bounds);
  const order: string[] = [];
  const asked = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'];
  await Promise.all(asked.map((name) => share.turn(name[0]!).then(() => order.push(name))));
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('other work gets the loop between any two slices', async () => {
  const share = createLoopShare(bounds);
  let turns = 0;
  let running = true;
  const other = (): void => {
    turns += 1;
    if (running) setImmediate(other);
  };
  other();
  await Promise.all(Array.from({ length: 10 }, () => work(share)));
  running = false;
  expect(turns).toBeGreaterThanOrEqual(10);
});

test('many small pieces pause at the end of a slice', async () => {
  const share = createLoopShare(bounds);
  await share.turn('');
  let [slices, longest, began] = [1, 0, performance.now()];
  for (let piece = 0; piece < 60; piece++) {
    const wait = share.pause('');
    if (wait) {
      longest = Math.max(longest, performance.now() - began);
      await wait;
      slices += 1;
      began = performance.now();
    }
    hold(1);
  }
  expect(slices).toBeGreaterThanOrEqual(4);
  // The first piece after the end waits: slices of 10 ms with pieces of 1 ms. The system may interrupt one.
  expect(longest).toBeGreaterThanOrEqual(10);
});

test('time that no slice has measured counts while other work needs the loop, and only then', async () => {
  const [free, charged] = [createLoopShare(bounds), createLoopShare(bounds)];
  free.charge(100_000);
  for (const share of [free, charged, free, charged]) share.needed();
  charged.charge(100_000);
  let begun = false;
  void charged.turn('').then(() => (begun = true));
  await free.turn('');
  await pause(200);
  expect(begun).toBe(false);
});

test('slices rest while other work needs the loop, and only then', async () => {
  const alone = createLoopShare(bounds);
  const began = performance.now();
  await work(alone, { pieces: 20 });
  const millisAlone = performance.now() - began;
  const beside = createLoopShare(bounds);
  beside.needed();
  beside.needed();
  let done = 0;
  const all = work(beside, { pieces: 20 }).then(() => (done = 20));
  // Without processor time of its own or of others, nothing is given back: the burst is all there is.
  await pause(Math.max(200, millisAlone));
  expect(done).toBe(0);
  hold(1_000);
  await pause(1_000);
  hold(1_000);
  await all.then(() => expect(done).toBe(20));
});

test('a loop that was held for long is still needed', async () => {
  const share = createLoopShare({ ...bounds, needed: { count: 2, withinMillis: 20, heldMillis: 60_000 } });
  share.needed();
  share.needed();
  await work(share, { pieces: 1, millis: 45 });
  let began = false;
  void share.turn('').then(() => (began = true));
  // The arrivals are longer ago than `withinMillis`, because the slice has held the loop.
  await pause(100);
  expect(began).toBe(false);
});
