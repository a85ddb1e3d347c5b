// Checks the catalog of a plain PostgreSQL with the same schema for everything that Citus documents as refused for distributed tables.
import type { DistributedTable } from '../../src/platform/database/citus.ts';
import type { SqlConnection } from '../../src/platform/database/sql.ts';

/** The tables of the schema `public`, without partitions: a partition follows its parent. */
export async function tablesOf(pool: SqlConnection): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname`,
  );
  return rows.map(({ name }) => name);
}

/** $1 is a distributed table, $2 its column. Each query returns rows with `problem`. */
const rules = [
  // https://docs.citusdata.com/en/stable/develop/reference_ddl.html: constraints must contain the distribution column.
  `SELECT 'the unique key ' || i.indexrelid::regclass || ' lacks ' || $2 AS problem FROM pg_index i
   WHERE i.indrelid = $1::regclass AND (i.indisunique OR i.indisexclusion)
     AND NOT (SELECT attnum FROM pg_attribute WHERE attrelid = $1::regclass AND attname = $2) = ANY (i.indkey)`,
  `SELECT 'the column ' || $2 || ' may be null' AS problem FROM pg_attribute
   WHERE attrelid = $1::regclass AND attname = $2 AND NOT attnotnull`,
  // A foreign key would have to stay within a device. The schema has none.
  `SELECT 'the foreign key ' || conname || ' crosses nodes' AS problem FROM pg_constraint
   WHERE contype = 'f' AND $1::regclass IN (conrelid, confrelid) AND $2 <> ''`,
  // Citus refuses with "cannot distribute relation because it has triggers".
  `SELECT 'the trigger ' || tgname AS problem FROM pg_trigger
   WHERE tgrelid = $1::regclass AND NOT tgisinternal AND $2 <> ''`,
  // Citus does not support rules, and does not copy row security to the workers.
  `SELECT 'a rule or row security' AS problem FROM pg_class
   WHERE oid = $1::regclass AND (relhasrules OR relrowsecurity) AND $2 <> ''`,
  // A sequence of a smaller type has no room for the number of the node.
  `SELECT 'the sequence of ' || a.attname || ' is no bigint' AS problem
   FROM pg_attrdef d JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
   WHERE d.adrelid = $1::regclass AND $2 <> '' AND a.atttypid <> 'bigint'::regtype
     AND pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval%'`,
  `SELECT 'the generated column ' || attname AS problem FROM pg_attribute
   WHERE attrelid = $1::regclass AND (attgenerated <> '' OR attidentity <> '') AND $2 <> ''`,
  // Citus cannot distribute several levels of partitions.
  `SELECT 'the partition ' || relid || ' has partitions' AS problem FROM pg_partition_tree($1::regclass)
   WHERE level > 0 AND NOT isleaf AND $2 <> ''`,
];

/** Returns an empty list when the schema can be distributed as planned. */
export async function distributionProblems(pool: SqlConnection, tables: DistributedTable[]): Promise<string[]> {
  const problems = tables.flatMap((table, index) => colocationProblem(table, tables.slice(0, index)));
  for (const { name, column } of tables) {
    for (const rule of rules) {
      const { rows } = await pool.query<{ problem: string }>({ text: rule, values: [name, column] });
      problems.push(...rows.map(({ problem }) => `${name}: ${problem}`));
    }
  }
  return [...problems, ...(await typeProblems(pool, tables))];
}

function colocationProblem({ name, colocateWith }: DistributedTable, before: DistributedTable[]): string[] {
  if (colocateWith === null || before.some((other) => other.name === colocateWith)) return [];
  return [`${name}: ${colocateWith} is not distributed before it`];
}

/** Tables can be colocated only if their distribution columns have the same type. */
async function typeProblems(pool: SqlConnection, tables: DistributedTable[]): Promise<string[]> {
  const types = new Map<string, string>();
  for (const { name, column } of tables) {
    const { rows } = await pool.query<{ type: string }>({
      text: 'SELECT atttypid::regtype::text AS type FROM pg_attribute WHERE attrelid = $1::regclass AND attname = $2',
      values: [name, column],
    });
    types.set(name, rows[0]?.type ?? `no column ${column}`);
  }
  const apart = tables.filter((table) => table.colocateWith && types.get(table.name) !== types.get(table.colocateWith));
  return apart.map(({ name, colocateWith }) => `${name}: ${types.get(name)} is not the type of ${colocateWith}`);
}
