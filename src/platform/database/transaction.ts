// Transactions over the pool: only this file opens one, and makes the type by which a function asks for it.
import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
import { HeldConnection } from './heldConnection.ts';
import { pipelined } from './pipeline.ts';
import type { SqlConnection, Statement } from './sqlClient.ts';

/**
 * An open transaction. Neither the pool nor a connection is one: a function with a parameter of this type accepts
 * nothing else.
 */
abstract class Transaction implements SqlConnection {
  declare protected readonly opened: true;
  abstract query<Row extends QueryResultRow>(statement: string | Statement): Promise<QueryResult<Row>>;
}

/** The transaction while its pipeline is made. */
class TransactionOfPipeline extends Transaction {
  readonly #pipeline: SqlConnection;

  constructor(pipeline: SqlConnection) {
    super();
    this.#pipeline = pipeline;
  }

  query<Row extends QueryResultRow>(statement: string | Statement): Promise<QueryResult<Row>> {
    return this.#pipeline.query<Row>(statement);
  }
}

const begin = { name: 'begin', text: 'BEGIN' };
const commit = { name: 'commit', text: 'COMMIT' };

export interface TransactionLimits {
  /**
   * Set on a Citus cluster alone: how long the transaction waits for a lock on a node. Rows stay locked there while a commit
   * is undecided, a minute and more. On the coordinator the limit of the connection holds.
   */
  nodeLockMillis?: number | undefined;
}

/** Citus sends each SET LOCAL to a node together with the BEGIN there, as long as it is told to. */
function limiting({ nodeLockMillis }: TransactionLimits): { name: string; text: string }[] {
  if (nodeLockMillis === undefined) return [];
  return [
    { name: 'limits_to_nodes', text: "SET LOCAL citus.propagate_set_commands = 'local'" },
    { name: `limit_locks_${nodeLockMillis}`, text: `SET LOCAL lock_timeout = ${nodeLockMillis}` },
    { name: 'limits_to_nobody', text: "SET LOCAL citus.propagate_set_commands = 'none'" },
    { name: 'limit_locks_as_before', text: 'SET LOCAL lock_timeout TO DEFAULT' },
  ];
}

/**
 * Its statements are sent one by one by `query`, or together by `pipelined`. So a batch of uploads takes one or two
 * round trips instead of six; the database waited for the event loop in each (test/bench/README.md). BEGIN is sent
 * before the first statement.
 */
class PipelinedTransaction extends Transaction {
  readonly #client: PoolClient;
  readonly #commitAsked: () => void;
  readonly #limiting: { name: string; text: string }[];
  /** The response to BEGIN; null before it is sent, and once the transaction has ended. */
  #begun: Promise<unknown> | null = null;

  constructor(client: PoolClient, { commitAsked, limits }: TransactionOptions) {
    super();
    this.#client = client;
    this.#commitAsked = commitAsked ?? (() => undefined);
    this.#limiting = limiting(limits ?? {});
  }

  async query<Row extends QueryResultRow>(statement: string | Statement): Promise<QueryResult<Row>> {
    await (this.#begun ??= this.#client.query([begin, ...this.#limiting].map(({ text }) => text).join('; ')));
    return this.#client.query<Row>(statement);
  }

  /** `ask` sends all its statements before it first awaits one. */
  pipelined<Answer>(ask: (transaction: Transaction) => Promise<Answer>): Promise<Answer> {
    return this.#pipelined(ask, { commits: false });
  }

  /** Like `pipelined`, with COMMIT as the last statement. The server skips COMMIT when a statement before it has failed. */
  pipelinedToCommit<Answer>(ask: (transaction: Transaction) => Promise<Answer>): Promise<Answer> {
    return this.#pipelined(ask, { commits: true });
  }

  /** Undoes everything. The next statement begins a new transaction. */
  async rollBack(): Promise<void> {
    await this.#client.query('ROLLBACK');
    this.#begun = null;
  }

  /** Does nothing when no statement was sent, or when the last pipeline has committed. */
  async commit(): Promise<void> {
    if (this.#begun) await this.#client.query('COMMIT');
    this.#begun = null;
  }

  #pipelined<Answer>(
    ask: (transaction: Transaction) => Promise<Answer>,
    { commits }: { commits: boolean },
  ): Promise<Answer> {
    return pipelined(this.#client, async (pipeline) => {
      const begun = (this.#begun ??= Promise.all([begin, ...this.#limiting].map((each) => pipeline.query(each))));
      const answer = ask(new TransactionOfPipeline(pipeline));
      const committed = commits ? pipeline.query(commit) : null;
      if (commits) {
        this.#commitAsked();
        this.#begun = null;
      }
      return (await Promise.all([answer, begun, committed]))[0];
    });
  }
}

export type { PipelinedTransaction, Transaction };

/**
 * Commits the work, or rolls back and throws. When COMMIT itself throws, it is unknown whether the rows are stored:
 * only work that is idempotent by its keys may be retried.
 */
export async function inTransaction<Result>(
  pool: Pool,
  work: (transaction: PipelinedTransaction) => Promise<Result>,
  limits: TransactionLimits = {},
): Promise<Result> {
  return (await HeldConnection.of(pool)).use((client) => transactionOn(client, work, { limits }));
}

interface TransactionOptions {
  limits?: TransactionLimits;
  /** Called while the pipeline with COMMIT is made: every statement that is sent after that call follows COMMIT. */
  commitAsked?: () => void;
}

/** The same transaction on a connection that the caller holds. The caller rolls back when it throws. */
export async function transactionOn<Result>(
  client: PoolClient,
  work: (transaction: PipelinedTransaction) => Promise<Result>,
  options: TransactionOptions = {},
): Promise<Result> {
  const transaction = new PipelinedTransaction(client, options);
  const result = await work(transaction);
  await transaction.commit();
  return result;
}
