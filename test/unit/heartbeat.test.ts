// The heartbeat of a job worker: when it takes a response for lost, and that it ends.
import { EventEmitter } from 'node:events';
import { jest } from '@jest/globals';
import type { WorkerEvents } from 'graphile-worker';
import type { Pool } from 'pg';
import { startHeartbeat } from '../../src/jobs/heartbeat.ts';
import { createLog } from '../../src/platform/observability/log.ts';

const beatMillis = 1_000;
const lost = new Error('Query read timeout');
const refusal = new Error('timeout exceeded when trying to connect');
beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** A worker's heartbeat on a database that can be away. */
async function start() {
  const state = { away: false, statements: 0, lost: [] as unknown[], silentSeconds: [] as unknown[] };
  const query = async (question: string | { name: string; values: unknown[] }) => {
    state.statements += 1;
    if (typeof question !== 'string' && question.name === 'sweep_dead_workers')
      state.silentSeconds.push(...question.values);
    if (state.away) throw new Error('away');
    return { rows: [] };
  };
  const client = { query, on: () => undefined, off: () => undefined, release: () => undefined };
  const events = new EventEmitter() as WorkerEvents;
  const stop = startHeartbeat({
    pool: { query, connect: async () => client } as unknown as Pool,
    log: createLog('silent'),
    ...{ workerId: 'a worker', events, beatMillis, silentMillis: 3_000 },
    onAnswerLost: (cause) => void state.lost.push(cause),
  });
  await jest.advanceTimersByTimeAsync(0);
  /** Emits the outcomes of the queries for a job, then waits for a beat. */
  const until = async (...answers: ('lost' | 'refused' | 'empty' | 'job')[]): Promise<number> => {
    const names = {
      lost: 'worker:getJob:error',
      refused: 'worker:getJob:error',
      empty: 'worker:getJob:empty',
      job: 'job:start',
    } as const;
    for (const answer of answers) {
      events.emit(names[answer], { error: answer === 'lost' ? lost : refusal } as never);
    }
    await jest.advanceTimersByTimeAsync(beatMillis);
    return state.lost.length;
  };
  return { state, stop, until };
}

test('an answer is lost where nobody knows whether a job was taken, whatever became of other questions', async () => {
  const { state, until, stop } = await start();
  expect(await until('empty', 'lost', 'refused', 'job')).toBe(1);
  expect(state.lost).toEqual([lost]);
  await stop();
});

test('where none can have been taken, it counts until another question is answered', async () => {
  const { state, until, stop } = await start();
  expect(await until('refused', 'empty')).toBe(0);
  expect(await until('refused', 'job')).toBe(0);
  expect(await until('empty', 'refused')).toBe(1);
  expect(state.lost).toEqual([refusal]);
  await stop();
});

test.each(['empty', 'job', null] as const)('none is lost where none failed: %s', async (answer) => {
  const { until, stop } = await start();
  expect(await until(...(answer ? [answer] : []))).toBe(0);
  await stop();
});

test('while the database is away the worker stays, and goes when it is back', async () => {
  const { state, until, stop } = await start();
  state.away = true;
  expect(await until('lost')).toBe(0);
  expect(await until('refused')).toBe(0);
  state.away = false;
  expect(await until()).toBe(1);
  await stop();
});

test('at once and at every beat it looks for workers that are silent for so long', async () => {
  const { state, until, stop } = await start();
  expect(state.silentSeconds).toEqual([3]);
  await until();
  expect(state.silentSeconds).toEqual([3, 3]);
  await stop();
});

test('once stopped it beats no more', async () => {
  const { state, until, stop } = await start();
  await until();
  await stop();
  const { statements } = state;
  expect(statements).toBeGreaterThan(0);
  await until();
  expect(state.statements).toBe(statements);
});
