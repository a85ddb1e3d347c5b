// Pipelines: statements that are sent at once over pg's own connection, without a wait for each other's results.
import pg from 'pg';
import type { SqlConnection } from './sqlClient.ts';

/** The members of pg's connection that its types leave out: the messages of the protocol, and the prepared statements. */
export interface PgConnection {
  stream: { cork(): void; uncork(): void; destroy(error: Error): void };
  submittedNamedStatements: Record<string, string>;
  parse(statement: { name: string; text: string }): void;
  bind(statement: { statement: string }): void;
  execute(portal: object): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sync(): void;
}

/** One statement as pg's client runs it: `pg.Query`, or another object that uses the extended query protocol. */
export interface PgStatement {
  name?: string | undefined;
  text?: string | undefined;
  callback: (error: Error | null, result?: unknown) => void;
  /** Returns an error when it refuses to be sent. A `pg.Query` has sent nothing then. */
  submit(connection: PgConnection): Error | null | void;
  handleRowDescription?(message: unknown): void;
  handleDataRow?(message: unknown): void;
  handleCopyInResponse(): void;
  handleCommandComplete(message: unknown, connection: PgConnection): void;
  handleReadyForQuery(connection: PgConnection): void;
  handleError(error: Error, connection: PgConnection): void;
}

/**
 * `ask` sends all its statements before it first awaits one. Its result resolves after the server has responded to all
 * of them. One Sync ends the pipeline, so that the server skips every statement after a failed one. The pipeline is
 * sent at once, even while the server still responds to another pipeline. It would overtake any other query that the
 * driver keeps back.
 */
export async function pipelined<Answer>(
  client: SqlConnection,
  ask: (pipeline: SqlConnection) => Promise<Answer>,
): Promise<Answer> {
  const statements: PgStatement[] = [];
  let sent = false;
  const query = (statement: PgStatement): unknown => {
    // The server would never respond to it, and the connection would be held without end.
    if (sent) throw new Error('a pipeline was asked for more after it had been sent');
    return add(statements, statement);
  };
  // `query` of pg has more forms; the statements of this service use those that `add` takes.
  const answer = ask({ query } as unknown as SqlConnection);
  sent = true;
  const [, result] = await Promise.all([send(client, statements), answer]);
  return result;
}

/** Returns a promise for a statement given as text and values. A `PgStatement` has its own callback. */
function add(statements: PgStatement[], statement: string | pg.QueryConfig | PgStatement): unknown {
  if (typeof statement === 'object' && 'submit' in statement) {
    statements.push(statement);
    return statement;
  }
  return new Promise((resolve, reject) => {
    const query = new pg.Query(statement, undefined, (error, result) => (error ? reject(error) : resolve(result)));
    // The simple protocol would add a Sync of its own. The types of pg do not have `queryMode`.
    statements.push(Object.assign(query as unknown as PgStatement, { queryMode: 'extended' }));
  });
}

function send(client: SqlConnection, statements: PgStatement[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const pipeline = new Pipeline(statements, (error) => (error ? reject(error) : resolve()));
    // As in copyFrom.ts: the driver takes every object with `submit`.
    void client.query(pipeline as unknown as pg.QueryConfig);
    // The driver keeps a query back while another query waits for its response, but the server takes it. The types of
    // pg hide `connection`.
    pipeline.submit((client as unknown as { connection: PgConnection }).connection);
  });
}

/** For pg's client this is one statement. It hands each message to the statement that the message is about. */
class Pipeline implements PgStatement {
  readonly #statements: PgStatement[];
  #sent = false;
  #answered = 0;
  /** The driver wraps it for its query timeout. */
  callback: PgStatement['callback'];

  constructor(statements: PgStatement[], callback: PgStatement['callback']) {
    this.#statements = statements;
    this.callback = callback;
  }

  /** For traces. Empty once the server has responded. */
  get parts(): readonly PgStatement[] {
    return this.#statements;
  }

  /** The client notes by name and text which statements it has prepared. */
  get name(): string | undefined {
    return this.#current?.name;
  }
  get text(): string | undefined {
    return this.#current?.text;
  }
  /** Undefined after all responses: the connection may still be lost before ReadyForQuery. */
  get #current(): PgStatement | undefined {
    return this.#statements[this.#answered];
  }

  /** Sends once. The driver calls it again when the server responds to this pipeline next. */
  submit(connection: PgConnection): void {
    if (this.#sent) return;
    this.#sent = true;
    const withoutSync = Object.create(connection, { sync: { value: () => undefined } }) as PgConnection;
    connection.stream.cork();
    for (const statement of this.#statements) {
      const refused = statement.submit(withoutSync);
      // Another text under a known name, which no statement here has: the next results would go to the wrong statement.
      if (refused) connection.stream.destroy(refused);
    }
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription(message: unknown): void {
    this.#current?.handleRowDescription?.(message);
  }
  handleDataRow(message: unknown): void {
    this.#current?.handleDataRow?.(message);
  }
  handleCopyInResponse(): void {
    this.#current?.handleCopyInResponse();
  }
  handleCommandComplete(message: unknown, connection: PgConnection): void {
    this.#current?.handleCommandComplete(message, connection);
    this.#answered += 1;
  }
  handleReadyForQuery(connection: PgConnection): void {
    for (const statement of this.#letGo()) statement.handleReadyForQuery(connection);
    this.callback(null);
  }
  handleError(error: Error, connection: PgConnection): void {
    const statements = this.#letGo();
    // The server has not prepared the statements that it skipped.
    for (const { name } of statements.slice(this.#answered)) {
      if (name !== undefined) delete connection.submittedNamedStatements[name];
    }
    for (const statement of statements) statement.handleError(error, connection);
    this.callback(error);
  }

  /**
   * The driver's timer refers to this object, and V8 kept it alive for many collections after the response. All values
   * of a batch stayed with it, 1.3 MB at each collection of the young generation (test/bench/README.md).
   */
  #letGo(): PgStatement[] {
    return this.#statements.splice(0);
  }
}
