// Statements that do not wait for each other's answers: sent over pg's own connection at once, and answered together.
import pg from 'pg';
import type { SqlConnection } from './sqlClient.ts';

/** What pg's types leave out of its connection: the messages of the protocol, and what it keeps prepared. */
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

/** One statement as pg's client runs it: `pg.Query`, or anything else that speaks the protocol's extended half. */
export interface PgStatement {
  name?: string | undefined;
  text?: string | undefined;
  callback: (error: Error | null, result?: unknown) => void;
  /** Answers an error where it refuses to be sent; of a `pg.Query` nothing has been sent then. */
  submit(connection: PgConnection): Error | null | void;
  handleRowDescription?(message: unknown): void;
  handleDataRow?(message: unknown): void;
  handleCopyInResponse(): void;
  handleCommandComplete(message: unknown, connection: PgConnection): void;
  handleReadyForQuery(connection: PgConnection): void;
  handleError(error: Error, connection: PgConnection): void;
}

/**
 * `ask` asks all it wants before it first waits; what it answers is answered when everything is. One Sync ends the
 * pipeline, so that the server passes over what stands behind a statement that has failed. It is sent at once, also
 * behind another pipeline that is being answered; whatever else the driver still kept back, it would overtake.
 */
export async function pipelined<Answer>(
  client: SqlConnection,
  ask: (pipeline: SqlConnection) => Promise<Answer>,
): Promise<Answer> {
  const statements: PgStatement[] = [];
  let sent = false;
  const query = (statement: PgStatement): unknown => {
    // It would never be answered, and hold its connection for ever.
    if (sent) throw new Error('a pipeline was asked for more after it had been sent');
    return add(statements, statement);
  };
  // Of the many forms of `query` the statements of this service use those that `add` answers.
  const answer = ask({ query } as unknown as SqlConnection);
  sent = true;
  const [, result] = await Promise.all([send(client, statements), answer]);
  return result;
}

/** A statement given as text and values is answered by a promise; one that is a `PgStatement` has its own callback. */
function add(statements: PgStatement[], statement: string | pg.QueryConfig | PgStatement): unknown {
  if (typeof statement === 'object' && 'submit' in statement) {
    statements.push(statement);
    return statement;
  }
  return new Promise((resolve, reject) => {
    const query = new pg.Query(statement, undefined, (error, result) => (error ? reject(error) : resolve(result)));
    // The simple protocol would bring a Sync of its own. The types of pg show nothing of how a query is run.
    statements.push(Object.assign(query as unknown as PgStatement, { queryMode: 'extended' }));
  });
}

function send(client: SqlConnection, statements: PgStatement[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const pipeline = new Pipeline(statements, (error) => (error ? reject(error) : resolve()));
    // As in copyFrom.ts: the driver takes whatever submits itself.
    void client.query(pipeline as unknown as pg.QueryConfig);
    // The driver keeps it back while another one is being answered; the server takes it all the same. Its types hide where to.
    pipeline.submit((client as unknown as { connection: PgConnection }).connection);
  });
}

/** To pg's client one statement, which hands each message on to the one that it answers. */
class Pipeline implements PgStatement {
  readonly #statements: PgStatement[];
  #sent = false;
  #answered = 0;
  /** The driver puts its time limit around this one. */
  callback: PgStatement['callback'];

  constructor(statements: PgStatement[], callback: PgStatement['callback']) {
    this.#statements = statements;
    this.callback = callback;
  }

  /** Under name and text the client notes what it has prepared. */
  get name(): string | undefined {
    return this.#current?.name;
  }
  get text(): string | undefined {
    return this.#current?.text;
  }
  /** None once all are answered: the connection may still be cut before the server is ready again. */
  get #current(): PgStatement | undefined {
    return this.#statements[this.#answered];
  }

  /** Once: the driver does so again when the answers to this one are next. */
  submit(connection: PgConnection): void {
    if (this.#sent) return;
    this.#sent = true;
    const withoutSync = Object.create(connection, { sync: { value: () => undefined } }) as PgConnection;
    connection.stream.cork();
    for (const statement of this.#statements) {
      const refused = statement.submit(withoutSync);
      // A text under the name of another one, which no statement here has: the answers could no longer be told apart.
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
    // What the server has passed over is not prepared.
    for (const { name } of statements.slice(this.#answered)) {
      if (name !== undefined) delete connection.submittedNamedStatements[name];
    }
    for (const statement of statements) statement.handleError(error, connection);
    this.callback(error);
  }

  /**
   * The driver's timer for the query refers to this object, and V8 found it alive for many collections after: with it
   * all values of a batch, 1.3 MB at each collection of the young generation (docs/decisions/upload-memory-tried.md).
   */
  #letGo(): PgStatement[] {
    return this.#statements.splice(0);
  }
}
