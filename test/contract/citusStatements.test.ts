// docs/contributing/cluster.md must list every statement on a distributed table, and no statement may contain what Citus refuses.
import { readFileSync } from 'node:fs';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { onDistributedTables, statementProblem, statementsOfSource } from '../support/distributedStatements.ts';

/** Statements that change a distributed table through a function, without its name in their text. */
const byFunction = ['sessions: ensureEventPartitions', 'sessions: dropOldestPartition'];
const statements = onDistributedTables(statementsOfSource());

test('the list of statements in docs/contributing/cluster.md is that of the source', () => {
  const listed = [
    ...readFileSync(projectFile('docs/contributing/cluster.md'), 'utf8').matchAll(/^\| `(\w+: \w+)` +\|/gm),
  ];
  // In purchases: removeStoreAccess, the inserted name is always that of a local table.
  const ours = new Set(statements.map(({ name }) => name).filter((name) => name !== 'purchases: removeStoreAccess'));
  expect(listed.map(([, name]) => name!).sort()).toEqual([...ours, ...byFunction].sort());
});

test('what Citus refuses is in none of them', () => {
  const problems = statements.map(({ name, text }) => [name, statementProblem(text)]);
  expect(problems.filter(([, problem]) => problem !== null)).toEqual([]);
});

test.each([
  ['SELECT ref FROM sessions WHERE device_key = ANY($1::uuid[]) LIMIT $2 FOR UPDATE', /rule 1/],
  ['INSERT INTO devices AS d VALUES ($1) ON CONFLICT (key) DO UPDATE SET last_seen_at = now()', /rule 4/],
  ["UPDATE sessions s SET ref = nextval('sessions_ref_seq') WHERE device_key = $1", /rule 3: a volatile/],
  ["UPDATE devices SET last_seen_at = CASE WHEN $2 <> 'OLD' THEN now() END WHERE key = $1", /rule 3: now/],
  ['DELETE FROM events WHERE ctid = ANY($1)', /rule 3: ctid/],
  ['SELECT 1 FROM devices d JOIN applications a ON a.id = d.application_id', /rule 6/],
  ['WITH d AS MATERIALIZED (SELECT 1 FROM devices JOIN campaigns USING (id)) SELECT 1 FROM d', /rule 6/],
  [
    'WITH d AS MATERIALIZED (SELECT key FROM devices) SELECT 1 FROM d JOIN events ON true JOIN campaigns ON true',
    /rule 6/,
  ],
  ['SELECT n FROM unnest($1::uuid[], $2::int8[]) AS t (key, n) JOIN devices d ON d.key = t.key', /rule 10/],
])('%s would be seen', (text, problem) => {
  expect(onDistributedTables([{ name: 'x', text }])).toHaveLength(1);
  expect(statementProblem(text)).toMatch(problem);
});
