// The search of the lists as SQL: whether a text contains another, both in lower case.
import type { Dialect } from '../engine/dialect.ts';
import { sql, type Sql } from '../engine/question.ts';

/** The engines and JavaScript lower all letters alike but these two: the sigma at the end of a word, and an I with a dot. */
export function containsText(dialect: Dialect, text: Sql, searched: string): Sql {
  const lower = sql`replace(replace(${dialect.lower(text)}, 'ς', 'σ'), ${'i\u0307'}::text, 'i')`;
  return sql`(strpos(${lower}, ${searched.toLowerCase().replaceAll('ς', 'σ').replaceAll('i\u0307', 'i')}::text) > 0)`;
}
