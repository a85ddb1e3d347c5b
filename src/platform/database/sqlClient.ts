// The least that a function needs to send SQL: a statement, and something that runs it.
import type { QueryResult, QueryResultRow } from 'pg';

export interface Statement {
  /** Under which `pg` keeps it prepared; absent: the server parses it each time. */
  name?: string;
  text: string;
  values?: unknown[];
}

/**
 * The pool, the admin API's share of it, a connection or a transaction: for functions that read, or that write by one
 * statement which is whole by itself. A function that needs a transaction around it takes `Transaction`.
 */
export interface SqlConnection {
  query<Row extends QueryResultRow>(statement: string | Statement): Promise<QueryResult<Row>>;
}
