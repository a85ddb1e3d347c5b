// Opens transactions over the pool. No other file opens one: a function with a parameter of type `Transaction` is always in one.
import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
import type { Prisma, PrismaClient } from '../../../generated/prisma/client.ts';
import { classifyDatabaseError } from './databaseErrors.ts';
import { pipelined, type SqlConnection, type Statement } from './sql.ts';

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
  pipelined<Result>(ask: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.#pipelined(ask, { commits: false });
  }

  /** Like `pipelined`, with COMMIT as the last statement. The server skips COMMIT when a statement before it has failed. */
  pipelinedToCommit<Result>(ask: (transaction: Transaction) => Promise<Result>): Promise<Result> {
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

  #pipelined<Result>(
    ask: (transaction: Transaction) => Promise<Result>,
    { commits }: { commits: boolean },
  ): Promise<Result> {
    return pipelined(this.#client, async (pipeline) => {
      const begun = (this.#begun ??= Promise.all([begin, ...this.#limiting].map((each) => pipeline.query(each))));
      const asked = ask(new TransactionOfPipeline(pipeline));
      const committed = commits ? pipeline.query(commit) : null;
      if (commits) {
        this.#commitAsked();
        this.#begun = null;
      }
      return (await Promise.all([asked, begun, committed]))[0];
    });
  }
}

export type { PipelinedTransaction, Transaction };

/** Prisma's models, without raw SQL and without what opens a transaction or ends the client. */
export type PrismaModels = Omit<Prisma.TransactionClient, `$${string}`>;

/** A transaction of the admin API. `prisma` sends its statements in it; only awaited calls keep their order. */
export interface AdminTransaction extends PipelinedTransaction {
  readonly prisma: PrismaModels;
}

/** The admin API's share of the pool, with the client that uses it. */
export interface AdminPool extends Pool {
  readonly prisma: PrismaClient;
  /** `PrismaAdapter.joining` of the client. */
  joining<Result>(connection: SqlConnection, open: () => Promise<Result>): Promise<Result>;
}

/**
 * Commits the work, or rolls back and throws. When COMMIT itself throws, it is unknown whether the rows are stored:
 * only work that is idempotent by its keys may be retried.
 */
export async function inTransaction<Result>(
  pool: AdminPool,
  work: (transaction: AdminTransaction) => Promise<Result>,
): Promise<Result>;
export async function inTransaction<Result>(
  pool: Pool,
  work: (transaction: PipelinedTransaction) => Promise<Result>,
  limits?: TransactionLimits,
): Promise<Result>;
export async function inTransaction<Result>(
  pool: Pool | AdminPool,
  work: (transaction: AdminTransaction) => Promise<Result>,
  limits: TransactionLimits = {},
): Promise<Result> {
  // The overloads admit work with Prisma for the admin API's share alone.
  const inWork = 'joining' in pool ? withPrisma(pool, work) : (work as (open: PipelinedTransaction) => Promise<Result>);
  return (await HeldConnection.of(pool)).use((client) => transactionOn(client, inWork, { limits }));
}

/** Prisma's own limits for a transaction. The limits of the connection come first. */
const unlimited = { maxWait: 2 ** 31 - 1, timeout: 2 ** 31 - 1 };

/** Prisma's transaction joins ours, which begins and ends it. */
function withPrisma<Result>(
  pool: AdminPool,
  work: (transaction: AdminTransaction) => Promise<Result>,
): (transaction: PipelinedTransaction) => Promise<Result> {
  return (transaction) =>
    pool.joining(transaction, () =>
      pool.prisma.$transaction((prisma) => work(Object.assign(transaction, { prisma })), unlimited),
    );
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

// A connection of the pool while it is in use. It returns to the pool without an open transaction.

export class HeldConnection {
  readonly #client: PoolClient;
  #underWay = 0;
  #failed = false;
  #broken: Error | undefined;
  /** A connection that is lost between two statements emits it here; without a listener the error would end the process. */
  readonly #onError = (error: Error): void => void (this.#broken = error);

  static async of(pool: Pool): Promise<HeldConnection> {
    return new HeldConnection(await pool.connect());
  }

  private constructor(client: PoolClient) {
    this.#client = client;
    client.on('error', this.#onError);
  }

  /** The number of works that use it now. At zero it has returned to the pool. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Whether any work on it has thrown. */
  get failed(): boolean {
    return this.#failed;
  }

  /** When a work throws, the work that ends last on the connection rolls back the open transaction. */
  async use<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    this.#underWay += 1;
    try {
      return await work(this.#client);
    } catch (error) {
      this.#failed = true;
      // On a network that has gone silent, ROLLBACK would wait for as long again.
      if (isSilence(error)) this.#broken = error;
      throw error;
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) await this.#giveBack();
    }
  }

  async #giveBack(): Promise<void> {
    if (this.#failed && !this.#broken) {
      await this.#client.query('ROLLBACK').catch((failure: Error) => (this.#broken = failure));
    }
    this.#client.off('error', this.#onError);
    this.#client.release(this.#broken);
  }
}

function isSilence(error: unknown): error is Error {
  return error instanceof Error && error.message === 'Query read timeout';
}

// Transactions one behind the other on one connection: the next one is sent while PostgreSQL stores the one before it.

/** No rollback: the next transaction has already been sent. */
export type QueuedTransaction = Pick<PipelinedTransaction, 'pipelined' | 'pipelinedToCommit'>;

export type RunPipelined = <Result>(
  work: (transaction: QueuedTransaction) => Promise<Result>,
  options: { behind: boolean; limits?: TransactionLimits },
) => Promise<Result>;

/**
 * Runs transactions as `inTransaction` does. A `behind` transaction takes the connection of the running transaction if
 * that one has sent COMMIT and no work waits for a connection. PostgreSQL then begins the second transaction by itself,
 * while this process works on other bodies and responses. The second transaction waits as long as the first one does,
 * for a lock too, and its timeout counts from when it was sent. If the first one fails before its COMMIT, the server
 * skips the second one, which rejects with 25P02 and has stored nothing.
 */
export function createPipelinedConnection(pool: Pool): RunPipelined {
  let connection: PipelinedConnection | null = null;
  return async (work, { behind, limits = {} }) => {
    const follows = behind && pool.waitingCount === 0 && connection?.takesAnother;
    if (!connection || !follows) connection = new PipelinedConnection(await HeldConnection.of(pool));
    return connection.run(work, limits);
  };
}

class PipelinedConnection {
  readonly #held: HeldConnection;
  /** Whether all statements of the last transaction have been sent: none of them can follow the next transaction's. */
  #commitSent = false;

  constructor(held: HeldConnection) {
    this.#held = held;
  }

  /** One transaction waits behind another and no more: pg (8.23) warns of a second query in its queue. */
  get takesAnother(): boolean {
    return this.#commitSent && this.#held.underWay === 1 && !this.#held.failed;
  }

  run<Result>(work: (transaction: QueuedTransaction) => Promise<Result>, limits: TransactionLimits): Promise<Result> {
    this.#commitSent = false;
    const commitAsked = (): void => void (this.#commitSent = true);
    return this.#held.use((client) => transactionOn(client, work, { limits, commitAsked }));
  }
}

// A transaction that removes a batch of rows from tables of any size.

/**
 * Citus passes the other settings to its workers because of the first one. A plain PostgreSQL accepts that name like
 * any other.
 */
const settings = [
  "citus.propagate_set_commands = 'local'",
  'enable_seqscan = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
];

/**
 * Only index scans and nested loops. For a batch of some thousand keys the planner otherwise often reads the whole
 * table, once for each batch (seen with 3 million events and 200 sessions).
 */
export function inRemovalTransaction<Result>(
  pool: Pool,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return inTransaction(pool, async (transaction) => {
    for (const setting of settings) await transaction.query(`SET LOCAL ${setting}`);
    return work(transaction);
  });
}

// Repeats a transaction after a conflict with another one, because the same transaction may succeed at once.

/** Of a transaction that is retried at most twice, and only after a conflict (40001, 40P01). `run` gets 1, 2 and 3. */
export async function retryConflicts<Result>(run: (attempt: number) => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run(attempt);
    } catch (error) {
      if (attempt > 2 || classifyDatabaseError(error) !== 'conflict') throw error;
    }
  }
}
