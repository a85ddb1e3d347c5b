// The log of changes is read in the order of transaction ids, which are numbers and no texts.
import pg from 'pg';
import { findChanges } from '../../src/analytics/copy/logStore.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('pieces of the log leave no transaction out where the ids get another digit', async () => {
  const xids = [998n, 999n, 1_000n, 1_001n, 9_999n, 10_000n, 10_001n];
  await database.pool.query('INSERT INTO session_changes (xid) SELECT unnest($1::text[])::xid8', [xids.map(String)]);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const seen: bigint[] = [];
  for (let [from, more] = [998n, true]; more;) {
    const found = await findChanges(client, { from, below: 10_002n, most: 2 });
    seen.push(...found.changes.map(({ xid }) => xid));
    more = found.more;
    from = seen.at(-1)! + 1n;
  }
  await client.end();
  expect(seen).toEqual(xids);
});
