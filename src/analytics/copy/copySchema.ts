// The tables of the copy, with numbers in place of keys, and the relations over them that questions name.
// A change of anything here needs another `copyVersion`: a file of another version is built anew.

export const copyVersion = 1;

type Columns = Readonly<Record<string, string>>;

/** What is stored, in the order of the columns. Times are microseconds since 1970. */
export const tables = {
  devices: {
    device: 'BIGINT',
    key: 'UUID',
    application_id: 'UUID',
    id: 'VARCHAR',
    user_id: 'VARCHAR',
    properties: 'JSON',
    user_properties: 'JSON',
    first_seen_at: 'BIGINT',
    last_seen_at: 'BIGINT',
  },
  sessions: {
    session: 'BIGINT',
    device: 'BIGINT',
    application_id: 'UUID',
    id: 'VARCHAR',
    unit_user: 'VARCHAR',
    at: 'BIGINT',
    arrived_at: 'BIGINT',
    started_at: 'BIGINT',
    finished_at: 'BIGINT',
  },
  events: {
    application_id: 'UUID',
    device: 'BIGINT',
    session: 'BIGINT',
    unit_user: 'VARCHAR',
    at: 'BIGINT',
    arrived_at: 'BIGINT',
    session_arrived_at: 'BIGINT',
    session_id: 'VARCHAR',
    place: 'INTEGER',
    name: 'VARCHAR',
    system: 'BOOLEAN',
    mirror: 'BOOLEAN',
    params: 'JSON',
  },
} as const satisfies Record<string, Columns>;

const state = {
  version: 'BIGINT',
  system: 'VARCHAR',
  database: 'VARCHAR',
  timeline: 'VARCHAR',
  nextXid: 'BIGINT',
  seenXid: 'BIGINT',
  asOf: 'BIGINT',
  complete: 'BOOLEAN',
  removedSince: 'BIGINT',
  lastDevice: 'BIGINT',
};

const table = (name: string, columns: Columns): string =>
  `CREATE TABLE stored.${name} (${Object.entries(columns)
    .map(([column, type]) => `"${column}" ${type}`)
    .join(', ')})`;

/** No keys and no indexes: DuckDB would keep them in memory, and the follower replaces rows by their numbers. */
export const statements: readonly string[] = [
  'CREATE SCHEMA stored',
  'CREATE SCHEMA analytics',
  ...Object.entries(tables).map(([name, columns]) => table(name, columns)),
  table('state', state),
  table('pieces', { name: 'VARCHAR' }),
];
