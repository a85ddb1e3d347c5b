// A question to the engine: SQL with its name in a comment and every value bound.
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';

export { empty, join, raw, sql, type Sql };

export interface Question {
  /** The name of the read, for the log and the metrics. */
  name: string;
  /** Values are `$1`, `$2` in both engines. */
  text: string;
  values: readonly QuestionValue[];
}

/** A UUID and a JSON value are texts, and cast in the SQL. Lists are bound by `Dialect.table`. */
export type QuestionValue = string | number | bigint | boolean | null;

/** A tag: `question('activity')` + a template. The name is in the SQL, so that the database's log tells the reads apart. */
export function question(name: string) {
  return (strings: readonly string[], ...parts: unknown[]): Question => {
    const { text, values } = sql(strings, ...parts);
    return { name, text: `/* analytics: ${name} */ ${text}`, values: values as QuestionValue[] };
  };
}
