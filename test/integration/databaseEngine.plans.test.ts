// How much PostgreSQL reads for a funnel: a bound on the rows that each part of its plan handles, whatever the machine's speed.
import pg from 'pg';
import { beginQuestion } from '../../src/analytics/engine/databaseEngine.ts';
import type { AnalyticsEngine } from '../../src/analytics/engine/engine.ts';
import { postgresDialect } from '../../src/analytics/engine/postgresDialect.ts';
import type { Question } from '../../src/analytics/engine/question.ts';
import { readFunnel } from '../../src/analytics/reads/funnelRead.ts';
import { dateOf, dayNumber } from '../../src/analytics/reportDays.ts';
import { funnelFamilies } from '../bench/reads/funnelCases.ts';
import { load } from '../bench/reads/load.ts';
import { seedApplication } from '../support/analyticsCopy.ts';
import { testOnOneNode } from '../support/citusCluster.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

const events = 12_000;

let database: TestDatabase;
let client: pg.Client;
let applicationId: string;
const now = new Date();
beforeAll(async () => {
  database = await createTestDatabase();
  applicationId = await seedApplication(database.pool);
  await load({ url: database.url, applicationId, events, until: now, progressed: () => undefined });
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const to = now.toISOString().slice(0, 10);
const report = () => ({
  ...{ applicationId, includeTest: false, timeZone: 'UTC' },
  ...{ from: dateOf(dayNumber(to) - 89), to },
});

const families = funnelFamilies({ applicationId: '', includeTest: false, timeZone: 'UTC', from: '', to: '' });

test('there are fourteen families, each by both units', () => {
  expect(new Set(families.map(({ name }) => name)).size).toBe(28);
});

testOnOneNode.each(families.map(({ name }) => name))(
  '%s: no part handles the rows of the events many times over',
  async (name) => {
    const { question } = funnelFamilies(report()).find((family) => family.name === name)!;
    const most = Math.max(...rowsOf(await planOf((engine) => readFunnel(engine, question))));
    // The plan has been executed, with rows.
    expect(most).toBeGreaterThan(events / 100);
    expect(most).toBeLessThan(events * 10);
  },
);

interface Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** Of the statement that a read sends, executed as the engine executes it. */
async function planOf(read: (engine: AnalyticsEngine) => Promise<unknown>): Promise<Plan> {
  let sent: Question | undefined;
  await read({
    dialect: postgresDialect,
    ask: (question) => {
      sent = question;
      return Promise.resolve({ rows: [], asOf: now });
    },
    close: () => Promise.resolve(),
  });
  await client.query(beginQuestion(120_000));
  const explain = `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${sent!.text}`;
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(explain, [...sent!.values]);
  await client.query('ROLLBACK');
  return rows[0]!['QUERY PLAN'][0].Plan;
}

/** The rows that each node has passed on or thrown away. */
function rowsOf(plan: Plan): number[] {
  const { 'Rows Removed by Filter': filtered = 0, 'Rows Removed by Join Filter': unjoined = 0 } = plan;
  const handled = (plan['Actual Rows'] + filtered + unjoined) * plan['Actual Loops'];
  return [handled, ...(plan.Plans ?? []).flatMap(rowsOf)];
}
