// The job retryPendingTransactions: new store credentials reach every waiting transaction, whatever is under way.
import type { JobPayloads } from '../../src/platform/jobQueue/jobPayloads.ts';
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

test.each([
  ['that waits', 'credentials_refused', {}],
  ['that a pause has put off', 'store_busy', { putOff: true }],
])('page by page, every transaction %s gets a job of its own', async (_, reason, kind) => {
  const { id } = await service.newApplication();
  const { pool } = service.database;
  await pool.query(
    `INSERT INTO store_transactions (id, application_id, reason)
      SELECT 'p' || lpad(n::text, 5, '0'), $1, $2 FROM generate_series(1, 1001) n`,
    [id, reason],
  );
  const queued = async (task: string) => {
    const { rows } = await pool.query<{ payload: JobPayloads['retryPendingTransactions'] }>(
      `SELECT payload FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
        WHERE t.identifier = $1 AND payload ->> 'applicationId' = $2`,
      [task, id],
    );
    return rows.map(({ payload }) => payload);
  };
  await retryPendingTransactions({ applicationId: id, after: '', ...kind }, { pool });
  const pages = await queued('retryPendingTransactions');
  expect(pages).toEqual([{ applicationId: id, after: 'p01000', ...kind }]);
  await retryPendingTransactions(pages[0]!, { pool });
  const { rows } = await pool.query(
    'SELECT FROM store_transactions WHERE application_id = $1 AND look_up_at IS NOT NULL',
    [id],
  );
  expect(rows).toHaveLength(1_001);
  expect(await queued('retryPendingTransactions')).toEqual(pages);
});

test('all that waits for another look-up is queued, behind too, and the first look-ups only where a pause has ended', async () => {
  const { id } = await service.newApplication();
  const { pool } = service.database;
  await pool.query(
    `INSERT INTO store_transactions (id, application_id, reason, behind, state) VALUES
      ('a', $1, 'no_credentials', false, 'PENDING'), ('b', $1, 'credentials_refused', true, 'PENDING'),
      ('c', $1, NULL, false, 'PENDING'), ('d', $1, 'store_busy', true, 'PENDING'), ('e', $1, NULL, true, 'NOT_FOUND'),
      ('f', $1, 'not_known_yet', false, 'PENDING'), ('g', $1, 'no_root_certificates', false, 'PENDING'),
      ('h', $1, 'waiting_in_line', true, 'PENDING')`,
    [id],
  );
  await pool.query(
    `INSERT INTO store_transactions (id, application_id, state, last_look_up_error) VALUES
      ('i', $1, 'NOT_FOUND', 'not_known_yet'), ('j', $1, 'RESOLVED', 'credentials_refused'),
      ('k', $1, 'FAILED', 'not_verified'), ('l', $1, 'RESOLVED', NULL)`,
    [id],
  );
  const queued = async (putOff: boolean) => {
    await retryPendingTransactions({ applicationId: id, after: '', putOff }, { pool });
    const { rows } = await pool.query<{ asked: string }>(
      `SELECT concat(id, CASE WHEN behind THEN ' behind' ELSE ' in front' END) AS asked FROM store_transactions
        WHERE application_id = $1 AND look_up_at <= now() ORDER BY 1`,
      [id],
    );
    return rows.map(({ asked }) => asked);
  };
  const again = ['d behind', 'f in front', 'g in front', 'i in front', 'j in front'];
  expect(await queued(false)).toEqual(['a in front', 'b behind', ...again]);
  expect(await queued(true)).toEqual(['a in front', 'b behind', 'c in front', ...again]);
});
