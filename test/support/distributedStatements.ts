// Reads the SQL statements of src/ that name a distributed table, and checks in their text the rules of Citus that the text can show.
import { distributedTables, tablePlacement } from '../../src/compose/tableFacts.ts';
import { sourceFiles } from './sourceFiles.ts';

export interface NamedStatement {
  /** The name in the comment that begins the statement: `sessions: insertNonces`. */
  name: string;
  text: string;
}

/** A name that is put in, as in a loop over tables, counts as the name of a distributed table. */
const putIn = /(FROM|INTO|UPDATE) \$\{(raw\(name\)|table)\}/;
const localTables = Object.keys(tablePlacement).filter((name) => tablePlacement[name] === null);

function names(text: string, tables: readonly string[]): boolean {
  return tables.some((table) => new RegExp(`\\b(FROM|JOIN|INTO|UPDATE|USING|COPY) ${table}\\b`).test(text));
}

const distributed = distributedTables.map(({ name }) => name);

export function statementsOfSource(): NamedStatement[] {
  return sourceFiles().flatMap(({ text }) =>
    [...text.matchAll(/(['"`])\s*\/\* (\w+: \w+) \*\/([^]*?)\1/g)].map(([, , name, sql]) => ({
      name: name!,
      text: sql!,
    })),
  );
}

export function onDistributedTables(statements: NamedStatement[]): NamedStatement[] {
  return statements.filter(({ text }) => names(text, distributed) || putIn.test(text));
}

const columns = [...new Set(distributedTables.map(({ column }) => column))].join('|');
const mutable = /\b(now|nextval|random|clock_timestamp|gen_random_uuid|age)\(|CURRENT_|AT TIME ZONE|events_kept_from/i;
const volatile = /\b(nextval|random|clock_timestamp|gen_random_uuid)\(/i;

/** The numbers of the rules follow `docs/contributing/cluster.md, "Rules for statements"`. */
export function statementProblem(text: string): string | null {
  const set = /\bSET\b([^]*?)(RETURNING|$)/.exec(text)?.[1] ?? '';
  const oneShard = new RegExp(`WHERE\\s[^]*\\b(${columns}) = \\$[\\d{]`).test(text);
  if (/FOR (NO KEY )?(UPDATE|SHARE)/.test(text) && !oneShard) return 'rule 1: FOR UPDATE on many shards';
  if (/ON CONFLICT/.test(text) && mutable.test(set)) return 'rule 4: a function in ON CONFLICT that is not immutable';
  if (/\bUPDATE \w+/.test(text) && volatile.test(set)) return 'rule 3: a volatile function in SET';
  if (/(CASE|COALESCE)\b[^]*\b(now\(|CURRENT_)/i.test(set)) return 'rule 3: now() within CASE or COALESCE';
  if (/\bctid\b/.test(text)) return 'rule 3: ctid';
  if (!oneShard && /\bJOIN\b/.test(text) && /(?<!\(SELECT \* )(FROM|JOIN|USING) unnest\([^()]*,/.test(text))
    return 'rule 10: unnest of several arrays beside a join';
  if (partsOf(text).some((part) => names(part, localTables) && names(part, distributed)))
    return 'rule 6: a local table beside a distributed one';
  return null;
}

/** Each CTE that PostgreSQL executes first, and the rest of the statement. */
function partsOf(text: string): string[] {
  const first = /AS MATERIALIZED \(((?:[^()]|\([^()]*\))*)\)/g;
  return [...[...text.matchAll(first)].map(([, body]) => body!), text.replaceAll(first, '')];
}
