// The check of idle connections: each is queried every second, and none after the stop.
import { jest } from '@jest/globals';
import type { Pool } from 'pg';
import { askIdleConnections } from '../../src/platform/database/idleConnections.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('every idle connection is asked every second, also after one has failed, until it ends', async () => {
  let asked = 0;
  const bounds = new Set<unknown>();
  const query = ({ query_timeout: bound }: { query_timeout?: number }) => {
    bounds.add(bound);
    return Promise.reject(new Error(`connection ${(asked += 1)} is dead`));
  };
  const stop = askIdleConnections({ pool: { idleCount: 3, query } as unknown as Pool, idleQuestion: () => 'SELECT 1' });
  await jest.advanceTimersByTimeAsync(2_000);
  expect(asked).toBe(6);
  // A silent connection gets a shorter timeout than a request.
  expect([...bounds]).toEqual([1_000]);
  stop();
  await jest.advanceTimersByTimeAsync(2_000);
  expect(asked).toBe(6);
});
