// The order in which jobs are taken: mails that somebody waits for, then purchases, and removals when nothing else is due.
import { randomUUID } from 'node:crypto';
import { Logger, runOnce } from 'graphile-worker';
import { addPasswordMail } from '../../src/accounts/passwordMailJobs.ts';
import { addResolveJobs, addRetryOfPending } from '../../src/purchases/storeJobs.ts';
import { addRemovalJobs } from '../../src/workspace/removalJobs.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('jobs that are due are taken by who waits for them, whichever came first', async () => {
  const { pool } = database;
  const applicationId = randomUUID();
  await addRemovalJobs(pool, [applicationId], new Date('2020-09-10'));
  await addResolveJobs(pool, [{ applicationId, transactionId: '1' }]);
  await addRetryOfPending(applicationId, pool);
  await addPasswordMail(pool, { mailId: randomUUID(), purpose: 'reset', email: 'olga@example.com' });
  const tasks = ['removeApplication', 'resolveStoreTransaction', 'retryPendingTransactions', 'sendPasswordMail'];
  const taken: string[] = [];
  const taskList = Object.fromEntries(tasks.map((task) => [task, () => void taken.push(task)]));
  await runOnce({ pgPool: pool, taskList, concurrency: 1, noHandleSignals: true, logger: new Logger(() => () => {}) });
  expect(taken).toEqual([
    'sendPasswordMail',
    'resolveStoreTransaction',
    'retryPendingTransactions',
    'removeApplication',
  ]);
});
