// The applications in memory, when the database responds late or not at all.
import { jest } from '@jest/globals';
import type { KeyedApplication } from '../../src/workspace/applicationsStore.ts';
import { createApplicationDirectory } from '../../src/workspace/applicationDirectory.ts';

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
afterEach(() => void jest.useRealTimers());

/** Look-ups that the test completes one by one. */
function directory() {
  const lookUps: { answer: (id: string | null) => void; fail: () => void }[] = [];
  const directory = createApplicationDirectory(
    () =>
      new Promise((resolve, reject) =>
        lookUps.push({
          answer: (id) => resolve(id === null ? null : ({ id } as KeyedApplication)),
          fail: () => reject(new Error('away')),
        }),
      ),
  );
  const find = async (key = 'key') => (await directory.find(key))?.id ?? null;
  return { lookUps, find };
}

test('what is asked at once is looked up once, and remembered for half a second', async () => {
  const { lookUps, find } = directory();
  const answers = Promise.all([find(), find()]);
  lookUps[0]!.answer('one');
  expect(await answers).toEqual(['one', 'one']);
  jest.advanceTimersByTime(450);
  expect(await find()).toBe('one');
  expect(lookUps.length).toBe(1);
  jest.advanceTimersByTime(100);
  void find();
  expect(lookUps.length).toBe(2);
});

test('a look-up that began more than half a second ago answers nobody who comes now, and is not remembered', async () => {
  const { lookUps, find } = directory();
  const early = find();
  jest.advanceTimersByTime(600);
  const late = find();
  lookUps[0]!.answer('one');
  expect(await early).toBe('one');
  lookUps[1]!.answer(null);
  expect(await late).toBe(null);
  expect(await find()).toBe(null);
  expect(lookUps.length).toBe(2);
});

test('a failed look-up is not remembered, and does not make a later one be forgotten', async () => {
  const { lookUps, find } = directory();
  const failing = find();
  jest.advanceTimersByTime(600);
  const late = find();
  lookUps[0]!.fail();
  await expect(failing).rejects.toThrow('away');
  lookUps[1]!.answer('one');
  expect([await late, await find()]).toEqual(['one', 'one']);
  expect(lookUps.length).toBe(2);
  const other = find('other');
  lookUps[2]!.fail();
  await expect(other).rejects.toThrow('away');
  void find('other');
  expect(lookUps.length).toBe(4);
});

test('what is longer than any key is nobody, and not looked up', async () => {
  const { lookUps, find } = directory();
  expect(await find('x'.repeat(257))).toBe(null);
  expect(lookUps.length).toBe(0);
});
