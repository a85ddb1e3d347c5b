// One database transaction over the pool, for hand-written SQL.
import type { Pool, PoolClient } from 'pg';
import { HeldConnection } from './heldConnection.ts';
import { pipelined } from './pipeline.ts';
import type { SqlConnection } from './sqlClient.ts';

/**
 * Commits what `work` did, or rolls back and throws. When COMMIT itself throws, nobody knows whether the rows are
 * stored: only work that is idempotent by its keys may be tried again.
 */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  return onOneConnection(pool, async (client) => {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  });
}

/** A transaction whose statements go out by pipelines: what stands in one of them does not wait for its other answers. */
export interface PipelinedTransaction {
  /** `ask` asks all it wants before it first waits. BEGIN goes out with the first pipeline. */
  pipelined<Answer>(ask: (client: SqlConnection) => Promise<Answer>): Promise<Answer>;
  /** The same with COMMIT behind it, which the server passes over where a statement before it has failed. */
  pipelinedToCommit<Answer>(ask: (client: SqlConnection) => Promise<Answer>): Promise<Answer>;
  /** Undoes all; the next pipeline begins anew. */
  rollBack(): Promise<void>;
}

/**
 * Like `inTransaction`, for a path that is worth it: a batch of uploads takes one or two round trips in place of six, for
 * each of which the database waited until the event loop came round (docs/decisions/transaction-pipeline.md).
 */
export async function inPipelinedTransaction<Result>(
  pool: Pool,
  work: (transaction: PipelinedTransaction) => Promise<Result>,
): Promise<Result> {
  return onOneConnection(pool, (client) => pipelinedTransaction(client, work));
}

const begin = { name: 'begin', text: 'BEGIN' };
const commit = { name: 'commit', text: 'COMMIT' };

/**
 * That transaction on a connection of the caller's, who rolls back what it left open where it throws. `commitAsked` is
 * called while the pipeline with its COMMIT is made: whatever is sent from then on comes behind it.
 */
export async function pipelinedTransaction<Result>(
  client: PoolClient,
  work: (transaction: PipelinedTransaction) => Promise<Result>,
  commitAsked: () => void = () => undefined,
): Promise<Result> {
  let open = false;
  const run = <Answer>(ask: (client: SqlConnection) => Promise<Answer>, last: boolean): Promise<Answer> =>
    pipelined(client, async (pipeline) => {
      const begun = open ? null : pipeline.query(begin);
      const answer = ask(pipeline);
      const committed = last ? pipeline.query(commit) : null;
      if (last) commitAsked();
      open = !last;
      return (await Promise.all([answer, begun, committed]))[0];
    });
  const result = await work({
    pipelined: (ask) => run(ask, false),
    pipelinedToCommit: (ask) => run(ask, true),
    rollBack: async () => {
      await client.query('ROLLBACK');
      open = false;
    },
  });
  if (open) await client.query(commit);
  return result;
}

async function onOneConnection<Result>(pool: Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  return (await HeldConnection.of(pool)).use(work);
}
