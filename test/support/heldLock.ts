// Makes two requests meet: a test holds a lock until it has seen both requests wait for it.
import type { Pool } from 'pg';
import { eventually } from './eventually.ts';

export interface HeldLock {
  /** Resolves when that many statements of this database wait for a lock. */
  waiting: (count: number) => Promise<void>;
  release: () => Promise<void>;
}

/** `statement` takes the lock; `values` are its parameters. */
export async function holdLock(pool: Pool, statement: string, ...values: string[]): Promise<HeldLock> {
  const client = await pool.connect();
  await client.query('BEGIN');
  await client.query(statement, values);
  return {
    waiting: (count) => waitingForLocks(pool, count),
    async release() {
      // If the lock was held too long, its connection is closed. The test itself reports the consequence.
      await client.query('COMMIT').catch(() => undefined);
      client.release();
    },
  };
}

/** Resolves when that many statements of this database wait for a lock, held by any connection. */
export async function waitingForLocks(pool: Pool, count: number): Promise<void> {
  const waiters = async () => {
    const { rows } = await pool.query<{ count: number }>(`
      SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`);
    return rows[0]!.count;
  };
  await eventually(waiters, (found) => found >= count);
}
