// A call ends by itself, with the outer signal or at its timeout, and leaves no timer or listener behind.
import { getEventListeners } from 'node:events';
import { withinTime } from '../../src/platform/withinTime.ts';
import { stopClock, waitingTimers } from '../support/stoppedClock.ts';

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

test('answers what the call answers, and leaves nothing with the signal above it', async () => {
  const outer = new AbortController().signal;
  expect(await withinTime(outer, 60_000, () => Promise.resolve('answer'))).toBe('answer');
  expect(getEventListeners(outer, 'abort')).toEqual([]);
});

describe('with a stopped clock', () => {
  stopClock();

  test('leaves no timer behind, whatever became of the call', async () => {
    const outer = new AbortController().signal;
    await withinTime(outer, 60_000, () => Promise.resolve());
    await expect(withinTime(outer, 60_000, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(waitingTimers()).toBe(0);
  });
});

test('ends when its time is over', async () => {
  const outer = new AbortController().signal;
  await expect(withinTime(outer, 5, untilAborted)).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(getEventListeners(outer, 'abort')).toEqual([]);
});

test('ends with the signal above it, and does not begin behind its end', async () => {
  const outer = new AbortController();
  const call = withinTime(outer.signal, 60_000, untilAborted);
  outer.abort(new Error('stopped'));
  await expect(call).rejects.toThrow('stopped');
  let begun = false;
  const late = withinTime(outer.signal, 60_000, async () => void (begun = true));
  await expect(late).rejects.toThrow('stopped');
  expect(begun).toBe(false);
});

test('32 calls at once below one signal make no warning, and all end with it', async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', note);
  const outer = new AbortController();
  const calls = Array.from({ length: 32 }, () => withinTime(outer.signal, 60_000, untilAborted));
  const ended = Promise.allSettled(calls);
  outer.abort();
  expect((await ended).map(({ status }) => status)).toEqual(Array(32).fill('rejected'));
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  expect(warnings.filter((name) => name.startsWith('MaxListeners'))).toEqual([]);
});
