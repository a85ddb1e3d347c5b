// The transaction that removes a batch: only in it, the planner may find rows only through an index.
import { inRemovalTransaction } from '../../src/platform/database/removalTransaction.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const off = `SELECT name FROM pg_settings WHERE name LIKE 'enable\\_%' AND setting = 'off' AND source = 'session' ORDER BY 1`;

test('whole tables, hash joins and merge joins are off, until it ends', async () => {
  const { rows } = await inRemovalTransaction(database.pool, (client) => client.query(off));
  expect(rows).toEqual(['enable_hashjoin', 'enable_mergejoin', 'enable_seqscan'].map((name) => ({ name })));
  expect((await database.pool.query(off)).rows).toEqual([]);
});
