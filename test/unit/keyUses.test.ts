// The last uses of API keys, collected between the requests and the database: the latest use counts, and a failure loses none.
import { jest } from '@jest/globals';
import { createLog } from '../../src/platform/observability/log.ts';
import { createKeyUses, type KeyUse } from '../../src/workspace/keyUses.ts';

const log = createLog('silent');
const at = (second: number) => new Date(1_789_000_000_000 + second * 1_000);
const use = (publicKey: string, second: number): KeyUse => ({ publicKey, at: at(second) });

test('of each key the latest use is written, once', async () => {
  const written: KeyUse[][] = [];
  const uses = createKeyUses({ save: async (batch) => void written.push(batch), log });
  for (const [key, second] of [
    ['a', 2],
    ['b', 1],
    ['a', 3],
    ['a', 1],
  ] as const)
    uses.note(use(key, second));
  await uses.stop();
  await uses.stop();
  expect(written).toEqual([[use('a', 3), use('b', 1)]]);
});

test('what could not be written is written with what came since', async () => {
  const written: KeyUse[][] = [];
  let away = true;
  let tried = (): void => undefined;
  const failed = new Promise<void>((resolve) => (tried = resolve));
  const save = async (batch: KeyUse[]): Promise<void> => {
    if (away) {
      tried();
      throw new Error('away');
    }
    written.push(batch);
  };
  const uses = createKeyUses({ save, log, everyMillis: 5 });
  uses.note(use('a', 1));
  uses.note(use('b', 1));
  await failed;
  uses.note(use('a', 2));
  away = false;
  await uses.stop();
  expect(written).toEqual([[use('a', 2), use('b', 1)]]);
});

test('a writing under way is waited for, and what came meanwhile follows it', async () => {
  const order: string[] = [];
  let finish = (): void => undefined;
  const slow = new Promise<void>((resolve) => (finish = resolve));
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const save = async ([first]: KeyUse[]): Promise<void> => {
    order.push(`begin ${first!.publicKey}`);
    begin();
    if (first!.publicKey === 'a') await slow;
    order.push(`end ${first!.publicKey}`);
  };
  const uses = createKeyUses({ save, log, everyMillis: 5 });
  uses.note(use('a', 1));
  await begun;
  uses.note(use('b', 1));
  const stopped = uses.stop();
  expect(order).toEqual(['begin a']);
  finish();
  await stopped;
  expect(order).toEqual(['begin a', 'end a', 'begin b', 'end b']);
});

test('without being told how often, what is noted is written every 20 seconds', async () => {
  jest.useFakeTimers();
  const written: KeyUse[][] = [];
  const uses = createKeyUses({ save: async (batch) => void written.push(batch), log });
  for (const second of [1, 2]) {
    uses.note(use('a', second));
    await jest.advanceTimersByTimeAsync(20_000);
    expect(written).toHaveLength(second);
  }
  await uses.stop();
  jest.useRealTimers();
});
