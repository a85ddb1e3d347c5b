// One database transaction over the pool, for hand-written SQL.
import type { Pool, PoolClient } from 'pg';

/**
 * Commits what `work` did, or rolls back and throws. When COMMIT itself throws, nobody knows whether the rows are
 * stored: only work that is idempotent by its keys may be tried again.
 */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A connection that dies between two statements reports it here; without a listener it would end the process.
  const onError = (error: Error) => void (broken = error);
  client.on('error', onError);
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // On a network that has gone silent ROLLBACK would hold the connection for as long again.
    if (isSilence(error)) broken = error;
    else await client.query('ROLLBACK').catch((failure: Error) => (broken = failure));
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

function isSilence(error: unknown): error is Error {
  return error instanceof Error && error.message === 'Query read timeout';
}
