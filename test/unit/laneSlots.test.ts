// One piece of work in each lane at a time.
import { createLaneSlots } from '../../src/platform/laneSlots.ts';

function piece() {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { ended, end };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a lane runs one at a time, and another lane beside it', async () => {
  const slots = createLaneSlots();
  const began: string[] = [];
  const start = (lane: string, name: string) => {
    const { ended, end } = piece();
    void slots(lane, ended).then(() => began.push(name));
    return end;
  };
  const [endA1, endA2] = [start('a', 'a1'), start('a', 'a2')];
  start('a', 'a3');
  start('b', 'b1');
  await settled();
  expect(began).toEqual(['a1', 'b1']);
  // It has given up while it waited.
  endA2();
  await settled();
  expect(began).toEqual(['a1', 'b1']);
  endA1();
  await settled();
  expect(began).toEqual(['a1', 'b1', 'a2', 'a3']);
});

test('a lane rests after each piece', async () => {
  const took: number[] = [];
  const slots = createLaneSlots((millis) => took.push(millis) && 1 + millis);
  const began: string[] = [];
  const start = (name: string) => {
    const { ended, end } = piece();
    const begins = slots('a', ended).then(() => began.push(name));
    return { end, begins };
  };
  const [first, second] = [start('first'), start('second')];
  await settled();
  first.end();
  await Promise.resolve();
  expect(began).toEqual(['first']);
  await second.begins;
  expect([began, took.length]).toEqual([['first', 'second'], 1]);
});
