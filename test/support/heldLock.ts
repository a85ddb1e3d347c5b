// Makes two requests meet: a test holds a lock until it has seen both requests wait for it.
import type { Pool } from 'pg';
import { citusWorkers } from './citusCluster.ts';
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
    const waiting = `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    // On a cluster a statement may wait on any node.
    const onNodes = 'SELECT sum(result::int)::int AS count FROM run_command_on_all_nodes($1)';
    const { rows } = await (citusWorkers.length > 0
      ? pool.query<{ count: number }>(onNodes, [waiting])
      : pool.query<{ count: number }>(waiting));
    return rows[0]!.count;
  };
  await eventually(waiters, (found) => found >= count);
}
