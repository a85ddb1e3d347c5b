// Statements written by hand: a tag numbers the values as `$1`, `$2` (docs/decisions/transactions.md).
import pg, { type QueryResult, type QueryResultRow } from 'pg';
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';

/** `raw` is for SQL of our own, such as names of tables and columns, and never for input. */
export { empty, raw, sql, type Sql };

/**
 * A tag for a statement that `pg` keeps prepared under `name` on each connection. `pg` rejects another text under the
 * same name, so every varying part must be a value.
 */
export function prepared(name: string) {
  return (strings: readonly string[], ...parts: unknown[]): Required<Statement> => {
    const { text, values } = sql(strings, ...parts);
    return { name, text, values };
  };
}

/** The parts one after the other; nothing where there is none. */
export function concat(parts: readonly Sql[]): Sql {
  return parts.length === 0 ? empty : join([...parts], '');
}

// The least that a function needs to send SQL: a statement, and an object that runs it.

export interface Statement {
  /** `pg` keeps the statement prepared under this name. Absent: the server parses it each time. */
  name?: string;
  text: string;
  values?: unknown[];
}

/**
 * The pool, the admin API's share of it, a connection or a transaction. For functions that read, or that write by a
 * single complete statement. A function that needs a transaction takes `Transaction`.
 */
export interface SqlConnection {
  query<Row extends QueryResultRow>(statement: string | Statement): Promise<QueryResult<Row>>;
}

// Pipelines: statements that are sent at once over pg's own connection, without a wait for each other's results.

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
export async function pipelined<Result>(
  client: SqlConnection,
  ask: (pipeline: SqlConnection) => Promise<Result>,
): Promise<Result> {
  const statements: PgStatement[] = [];
  let sent = false;
  const query = (statement: PgStatement): unknown => {
    // The server would never respond to it, and the connection would be held without end.
    if (sent) throw new Error('a pipeline was asked for more after it had been sent');
    return add(statements, statement);
  };
  // `query` of pg has more forms; the statements of this service use those that `add` takes.
  const asked = ask({ query } as unknown as SqlConnection);
  sent = true;
  const [, result] = await Promise.all([send(client, statements), asked]);
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
    // As in sql.ts: the driver takes every object with `submit`.
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
  #completed = 0;
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
    return this.#statements[this.#completed];
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
    this.#completed += 1;
  }
  handleReadyForQuery(connection: PgConnection): void {
    for (const statement of this.#letGo()) statement.handleReadyForQuery(connection);
    this.callback(null);
  }
  handleError(error: Error, connection: PgConnection): void {
    const statements = this.#letGo();
    // The server has not prepared the statements that it skipped.
    for (const { name } of statements.slice(this.#completed)) {
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

// COPY … FROM STDIN over pg's own connection: the driver knows the protocol's messages and lacks the call.

/**
 * `data` holds rows in the format that `text` announces. Rejects with the server's error; then nothing is stored. All
 * is sent at once: the server skips the data of a COPY that it has refused.
 */
export function copyFrom(client: SqlConnection, text: string, data: string | Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const copy: PgStatement = {
      text,
      // The driver puts its time limit around this one.
      callback: (error) => (error ? reject(error) : resolve()),
      submit(connection: PgConnection) {
        connection.stream.cork();
        connection.parse({ name: '', text });
        connection.bind({ statement: '' });
        connection.execute({});
        connection.sendCopyFromChunk(typeof data === 'string' ? Buffer.from(data) : data);
        connection.endCopyFrom();
        connection.sync();
        connection.stream.uncork();
      },
      handleCopyInResponse: () => undefined,
      handleCommandComplete: () => undefined,
      handleReadyForQuery: () => copy.callback(null),
      handleError: (error) => copy.callback(error),
    };
    // The driver accepts every object with `submit`; its types accept only objects that submit to their own connection.
    void client.query(copy as unknown as pg.QueryConfig);
  });
}

// Writes rows in the binary format of COPY (PostgreSQL's documentation of COPY, "Binary Format"), one column after the other.

const head = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const twoTo32 = 4_294_967_296;
/** PostgreSQL's times begin with the year 2000. */
const epoch = { days: 10_957, seconds: 946_684_800 };

const digits = new Uint8Array(128).fill(255);
for (const [value, digit] of [...'0123456789abcdef'].entries()) digits[digit.charCodeAt(0)] = value;

/**
 * The method of a type writes a column of it. A value that the type cannot hold throws, since PostgreSQL stores these bytes as
 * they are. 1.07 times the events a second of the text format (docs/decisions/transaction-pipeline.md).
 */
export class BinaryRows {
  #bytes: Buffer;
  #at: number;

  /** The buffer does not grow for rows of at most `expected` bytes. */
  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafe(expected + head.length + 2);
    this.#at = head.copy(this.#bytes);
  }

  /** The bytes written so far. */
  get length(): number {
    return this.#at;
  }

  /** Begins a row with this number of columns. */
  row(columns: number): void {
    this.#grow(2);
    this.#int16(columns);
  }

  /** Writes the bytes between two lengths once more, for rows that begin alike. */
  repeat(start: number, end: number): void {
    this.#grow(end - start);
    this.#bytes.copyWithin(this.#at, start, end);
    this.#at += end - start;
  }

  null(): void {
    this.#grow(4);
    this.#int32(-1);
  }

  boolean(value: boolean): void {
    this.#column(1);
    this.#bytes[this.#at++] = value ? 1 : 0;
  }

  smallint(value: number): void {
    this.#column(2);
    this.#int16(value);
  }

  bigint(value: number): void {
    if (!Number.isSafeInteger(value)) throw new RangeError('no integer that a double holds');
    this.#column(8);
    this.#int64(value);
  }

  /** Days since 1970. */
  date(days: number): void {
    if (!Number.isInteger(days)) throw new RangeError('no whole number of days');
    this.#column(4);
    this.#int32(days - epoch.days);
  }

  /** Unix seconds with a fraction, to the nearest microsecond. */
  timestamptz(seconds: number): void {
    if (!Number.isFinite(seconds)) throw new RangeError('no number of seconds');
    const whole = Math.floor(seconds);
    const micros = Math.round((seconds - whole) * 1e6);
    const since2000 = (whole - epoch.seconds) * 1e6 + micros;
    this.#column(8);
    if (Number.isSafeInteger(since2000)) this.#int64(since2000);
    // Before 1714 and after 2285 a double does not hold every microsecond.
    else this.#bytes.writeBigInt64BE(BigInt(whole - epoch.seconds) * 1_000_000n + BigInt(micros), (this.#at += 8) - 8);
  }

  /** In lower case with hyphens. */
  uuid(text: string): void {
    this.#column(16);
    if (!this.#sixteen(text)) throw new RangeError('no UUID');
  }

  bytes(value: Uint8Array): void {
    this.#column(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
  }

  /** Writes a byte and the sixteen bytes of a UUID in lower case. Writes nothing, and returns false, for any other text. */
  taggedUuid(tag: number, text: string): boolean {
    const start = this.#at;
    this.#column(17);
    this.#bytes[this.#at++] = tag;
    if (text.length === 36 && this.#sixteen(text)) return true;
    this.#at = start;
    return false;
  }

  text(value: string): void {
    this.#column(value.length);
    const start = this.#at;
    if (this.#ascii(value)) return;
    this.#utf8(value);
    this.#sized(start);
  }

  /** A `jsonb` value, behind one byte with the version of the format. */
  jsonb({ bytes: source, start, end }: { bytes: Buffer; start: number; end: number }): void {
    this.#column(1 + end - start);
    const bytes = this.#bytes;
    let at = this.#at;
    bytes[at++] = 1;
    // Byte by byte: most are short, and a Buffer's own method takes as long as forty bytes.
    for (let from = start; from < end; from++) bytes[at++] = source[from]!;
    this.#at = at;
  }

  /** All rows, as COPY takes them. */
  end(): Buffer {
    this.#grow(2);
    this.#int16(-1);
    return this.#bytes.subarray(0, this.#at);
  }

  /** Writes nothing, and returns false, where a character takes more than a byte. */
  #ascii(text: string): boolean {
    this.#grow(text.length);
    const bytes = this.#bytes;
    let at = this.#at;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code >= 0x80) return false;
      bytes[at++] = code;
    }
    this.#at = at;
    return true;
  }

  #utf8(text: string): void {
    this.#grow(text.length * 3);
    this.#at += this.#bytes.write(text, this.#at);
  }

  /** Writes the size of the column that began at `start`. */
  #sized(start: number): void {
    const end = this.#at;
    this.#at = start - 4;
    this.#int32(end - start);
    this.#at = end;
  }

  #column(size: number): void {
    this.#grow(4 + size);
    this.#int32(size);
  }

  #grow(room: number): void {
    if (this.#at + room <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + room));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }

  // Byte by byte: a Buffer's own methods check their arguments each time.
  #int16(value: number): void {
    this.#bytes[this.#at++] = value >> 8;
    this.#bytes[this.#at++] = value;
  }

  #int32(value: number): void {
    const bytes = this.#bytes;
    const at = this.#at;
    bytes[at] = value >> 24;
    bytes[at + 1] = value >> 16;
    bytes[at + 2] = value >> 8;
    bytes[at + 3] = value;
    this.#at = at + 4;
  }

  #int64(value: number): void {
    const high = Math.floor(value / twoTo32);
    this.#int32(high);
    this.#int32(value - high * twoTo32);
  }

  #sixteen(text: string): boolean {
    const bytes = this.#bytes;
    let at = this.#at;
    let all = 0;
    for (let i = 0; i < 36; i += 2) {
      if ((i === 8 || i === 13 || i === 18 || i === 23) && text.charCodeAt(i++) !== 45) return false;
      const high = digits[text.charCodeAt(i)] ?? 255;
      const low = digits[text.charCodeAt(i + 1)] ?? 255;
      all |= high | low;
      bytes[at++] = (high << 4) | low;
    }
    if (all > 15 || text.length !== 36) return false;
    this.#at = at;
    return true;
  }
}

// PostgreSQL's array literals, for statements that take many rows.
// The driver's own writer looks at every element with two patterns, which was a fifth of the time of storing an upload.

/** For values that need no quotes: numbers, booleans, dates, UUIDs. */
export function plainArray(values: readonly (string | number | boolean | null)[]): string {
  let text = '';
  for (const value of values) text += `,${value ?? 'NULL'}`;
  return `{${text.slice(1)}}`;
}

export function textArray(values: readonly (string | null)[]): string {
  let text = '';
  for (const value of values) text += value === null ? ',NULL' : `,"${escaped(value)}"`;
  return `{${text.slice(1)}}`;
}

export function byteArray(values: readonly Buffer[]): string {
  let text = '';
  for (const value of values) text += `,\\\\x${value.toString('hex')}`;
  return `{${text.slice(1)}}`;
}

function escaped(value: string): string {
  return /["\\]/.test(value) ? value.replaceAll(/["\\]/g, '\\$&') : value;
}

// Parts of statements that read long rows: the database measures the rows, and sends only those within the response's room.

/** For `FROM`: gives each row `long.bytes`. OFFSET keeps the planner from measuring again wherever the column is named. */
export function measured(...columns: string[]): Sql {
  const all = raw(columns.join(', '));
  return sql`CROSS JOIN LATERAL (SELECT octet_length(concat(${all})) AS bytes OFFSET 0) AS long`;
}

/** The column. Null from the row on with which all rows together are longer than `bytes`. */
export function whileItFits(column: string, bytes: number): Sql {
  return sql`CASE WHEN sum(long.bytes) OVER (ROWS UNBOUNDED PRECEDING) <= ${bytes} THEN ${raw(column)} END`;
}

// Deletes expired rows from a table of any size, a few at a time.

/**
 * `batch` deletes at most `size` rows and skips rows that other transactions hold, so that each statement ends within
 * its time limit. Returns the number of deleted rows.
 */
export async function deleteInBatches(
  pool: SqlConnection,
  batch: (size: number) => Sql,
  batchSize: number,
): Promise<number> {
  for (let total = 0; ;) {
    const { rowCount } = await pool.query(batch(batchSize));
    total += rowCount ?? 0;
    if ((rowCount ?? 0) < batchSize) return total;
  }
}
