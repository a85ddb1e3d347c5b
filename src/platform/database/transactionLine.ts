// Transactions one behind the other on one connection: the next is sent while the last is being stored.
import type { Pool } from 'pg';
import { HeldConnection } from './heldConnection.ts';
import { pipelinedTransaction, type PipelinedTransaction } from './transaction.ts';

/** None of them rolls back while it goes on: what stands behind it is on its way. */
export type LinedTransaction = Omit<PipelinedTransaction, 'rollBack'>;

export type RunInLine = <Result>(
  work: (transaction: LinedTransaction) => Promise<Result>,
  options: { behind: boolean },
) => Promise<Result>;

/**
 * Runs transactions as `inPipelinedTransaction` does, and one that is `behind` on the connection of the transaction that is
 * under way, where the COMMIT of that has been sent and nobody waits for a connection: PostgreSQL begins it by itself,
 * while this process is busy with other bodies and the answers. It waits as long as the first one does, for a lock
 * too, and its time limit counts from when it was sent. Where the first one fails before its COMMIT, the server passes over
 * the second, which rejects with 25P02 and has stored nothing.
 */
export function createTransactionLine(pool: Pool): RunInLine {
  let line: Line | null = null;
  return async (work, { behind }) => {
    const follows = behind && pool.waitingCount === 0 && line?.takesAnother;
    if (!line || !follows) line = new Line(await HeldConnection.of(pool));
    return line.run(work);
  };
}

class Line {
  readonly #connection: HeldConnection;
  /** Whether all of the last transaction has been sent: nothing of it would come behind what is sent next. */
  #commitSent = false;

  constructor(connection: HeldConnection) {
    this.#connection = connection;
  }

  /** One behind another and no more: pg (8.23) warns of a second one in its queue. */
  get takesAnother(): boolean {
    return this.#commitSent && this.#connection.underWay === 1 && !this.#connection.failed;
  }

  run<Result>(work: (transaction: LinedTransaction) => Promise<Result>): Promise<Result> {
    this.#commitSent = false;
    return this.#connection.use((client) => pipelinedTransaction(client, work, () => (this.#commitSent = true)));
  }
}
