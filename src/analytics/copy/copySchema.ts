// The tables of the copy, with numbers in place of keys, and the relations over them that questions name.
// A change of anything here needs another `copyVersion`: a file of another version is built anew.
import type { LineColumns } from './csvLines.ts';
import { renewalColumns, transactionColumns } from './purchasesSource.ts';

export const copyVersion = 5;

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
    session_high: 'UBIGINT',
    session_low: 'UBIGINT',
    session_text: 'VARCHAR',
    place: 'INTEGER',
    name: 'VARCHAR',
    system: 'BOOLEAN',
    mirror: 'BOOLEAN',
    params: 'JSON',
  },
  firsts: {
    application_id: 'UUID',
    unit: 'VARCHAR',
    user_id: 'VARCHAR',
    device: 'BIGINT',
    name: 'VARCHAR',
    system: 'BOOLEAN',
    at: 'BIGINT',
  },
  transactions: typesOf(transactionColumns),
  renewals: typesOf(renewalColumns),
  removed_applications: { id: 'UUID' },
  test_devices: { application_id: 'UUID', id: 'VARCHAR' },
  test_numbers: { device: 'BIGINT' },
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

const digits = "format('{:016x}{:016x}', session_high, session_low)";
const uuid = [
  [1, 8],
  [9, 4],
  [13, 4],
  [17, 4],
  [21, 12],
].map(([from, length]) => `substr(${digits}, ${from}, ${length})`);

/**
 * The id of a session is a UUID in most SDKs. Events of a session are side by side, and DuckDB stores runs of equal
 * numbers once: the two halves take 2 bytes an event, the text took 23.
 */
const computed: Record<string, string> = {
  session_high: `CASE WHEN session_high IS NULL THEN session_text ELSE ${uuid.join(" || '-' || ")} END AS session_id`,
  session_low: '',
  session_text: '',
  key: '',
};

/** `test` is computed: a change of an application's list moves no row. */
const view = (name: 'devices' | 'sessions' | 'events' | 'firsts'): string => {
  const columns = Object.keys(tables[name]).map((column) => computed[column] ?? `"${column}"`);
  return `CREATE VIEW analytics.${name} AS
    SELECT ${columns.filter((column) => column !== '').join(', ')}, coalesce(device IN (SELECT device FROM stored.test_numbers), false) AS test
    FROM stored.${name}`;
};

/** No keys and no indexes: DuckDB would keep them in memory, and the follower replaces rows by their numbers. */
export const statements: readonly string[] = [
  'CREATE SCHEMA stored',
  'CREATE SCHEMA analytics',
  ...Object.entries(tables).map(([name, columns]) => table(name, columns)),
  table('state', state),
  table('pieces', { name: 'VARCHAR' }),
  ...(['devices', 'sessions', 'events', 'firsts'] as const).map(view),
  ...['transactions', 'renewals'].map((name) => `CREATE VIEW analytics.${name} AS SELECT * FROM stored.${name}`),
];

function typesOf(columns: LineColumns): Columns {
  return Object.fromEntries(Object.entries(columns).map(([name, [type]]) => [name, type]));
}
