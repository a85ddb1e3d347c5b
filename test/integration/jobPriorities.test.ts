// The order of jobs: mails that a user waits for, purchases, purchases that wait behind others, and removals when no other job is due.
import { randomUUID } from 'node:crypto';
import { Logger, runOnce } from 'graphile-worker';
import { addPasswordMail } from '../../src/accounts/passwordMailJobs.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
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
  await inTransaction(pool, (transaction) => addRemovalJobs(transaction, [applicationId], new Date('2020-09-10')));
  await addResolveJobs(pool, [{ applicationId, transactionId: 'behind', behind: true }]);
  await addResolveJobs(pool, [{ applicationId, transactionId: 'in line', behind: false }]);
  await inTransaction(pool, (transaction) => addRetryOfPending(transaction, { applicationId, after: '' }));
  await addPasswordMail(pool, { mailId: randomUUID(), purpose: 'reset', email: 'olga@example.com' });
  const tasks = ['removeApplication', 'resolveStoreTransaction', 'retryPendingTransactions', 'sendPasswordMail'];
  const taken: string[] = [];
  const note = (task: string) => (payload: unknown) => {
    const { transactionId } = payload as { transactionId?: string };
    taken.push(transactionId === undefined ? task : `${task}: ${transactionId}`);
  };
  const taskList = Object.fromEntries(tasks.map((task) => [task, note(task)]));
  await runOnce({ pgPool: pool, taskList, concurrency: 1, noHandleSignals: true, logger: new Logger(() => () => {}) });
  expect(taken).toEqual([
    'sendPasswordMail',
    'resolveStoreTransaction: in line',
    'retryPendingTransactions',
    'resolveStoreTransaction: behind',
    'removeApplication',
  ]);
});
