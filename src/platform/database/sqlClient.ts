// The least that a function needs to send SQL: a statement, and an object that runs it.
import type { QueryResult, QueryResultRow } from 'pg';

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
