// The job retryPendingTransactions: new store credentials reach every transaction that waits, whatever is under way.
import { retryPendingTransactions } from '../../src/purchases/retryPendingTransactions.ts';
import { newAccount } from '../support/fakeStore.ts';
import { setCredentials } from '../support/purchases.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('credentials that are set while a page for older ones is queued begin at the first transaction', async () => {
  const { application, database } = service;
  const { pool } = database;
  await pool.query(
    `INSERT INTO store_transactions (id, application_id, reason)
      SELECT 'p' || lpad(n::text, 5, '0'), $1, 'credentials_refused' FROM generate_series(1, 1500) n`,
    [application.id],
  );
  await setCredentials(service, newAccount());
  await pool.query(`UPDATE graphile_worker._private_jobs SET locked_by = 'a worker', locked_at = now(), attempts = 1`);
  await setCredentials(service, newAccount());
  await retryPendingTransactions({ applicationId: application.id, after: '' }, { pool });
  const { rows } = await pool.query<{ after: string }>(`
    SELECT payload ->> 'after' AS after FROM graphile_worker._private_jobs j
    JOIN graphile_worker._private_tasks t ON t.id = j.task_id
    WHERE t.identifier = 'retryPendingTransactions' AND j.locked_at IS NULL ORDER BY 1`);
  expect(rows.map(({ after }) => after)).toEqual(['', 'p01000']);
});
