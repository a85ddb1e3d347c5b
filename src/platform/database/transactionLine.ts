// Transactions in a line on one connection: the next one is sent while PostgreSQL stores the one before it.
import type { Pool } from 'pg';
import { HeldConnection } from './heldConnection.ts';
import { transactionOn, type PipelinedTransaction, type TransactionLimits } from './transaction.ts';

/** No rollback: the next transaction has already been sent. */
export type LinedTransaction = Pick<PipelinedTransaction, 'pipelined' | 'pipelinedToCommit'>;

export type RunInLine = <Result>(
  work: (transaction: LinedTransaction) => Promise<Result>,
  options: { behind: boolean; limits?: TransactionLimits },
) => Promise<Result>;

/**
 * Runs transactions as `inTransaction` does. A `behind` transaction takes the connection of the running transaction if
 * that one has sent COMMIT and no work waits for a connection. PostgreSQL then begins the second transaction by itself,
 * while this process works on other bodies and responses. The second transaction waits as long as the first one does,
 * for a lock too, and its timeout counts from when it was sent. If the first one fails before its COMMIT, the server
 * skips the second one, which rejects with 25P02 and has stored nothing.
 */
export function createTransactionLine(pool: Pool): RunInLine {
  let line: Line | null = null;
  return async (work, { behind, limits = {} }) => {
    const follows = behind && pool.waitingCount === 0 && line?.takesAnother;
    if (!line || !follows) line = new Line(await HeldConnection.of(pool));
    return line.run(work, limits);
  };
}

class Line {
  readonly #connection: HeldConnection;
  /** Whether all statements of the last transaction have been sent: none of them can follow the next transaction's. */
  #commitSent = false;

  constructor(connection: HeldConnection) {
    this.#connection = connection;
  }

  /** One transaction waits behind another and no more: pg (8.23) warns of a second query in its queue. */
  get takesAnother(): boolean {
    return this.#commitSent && this.#connection.underWay === 1 && !this.#connection.failed;
  }

  run<Result>(work: (transaction: LinedTransaction) => Promise<Result>, limits: TransactionLimits): Promise<Result> {
    this.#commitSent = false;
    const commitAsked = (): void => void (this.#commitSent = true);
    return this.#connection.use((client) => transactionOn(client, work, { limits, commitAsked }));
  }
}
