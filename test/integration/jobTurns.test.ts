// The order of jobs within a kind: owners take turns, and mails that a user waits for come first.
import { randomUUID } from 'node:crypto';
import { Logger, runOnce } from 'graphile-worker';
import { addPasswordMail } from '../../src/accounts/passwordMailJobs.ts';
import type { JobPayloads } from '../../src/platform/jobQueue/jobPayloads.ts';
import { addJobs, wakeJobs } from '../../src/platform/jobQueue/jobQueue.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

async function taken(task: keyof JobPayloads, named: (payload: never) => string): Promise<string[]> {
  const names: string[] = [];
  const taskList = { [task]: (payload: unknown) => void names.push(named(payload as never)) };
  const logger = new Logger(() => () => {});
  await runOnce({ pgPool: database.pool, taskList, concurrency: 1, noHandleSignals: true, logger });
  return names;
}

test('the second job of one organization comes after the first one of another, however many it has', async () => {
  const add = (group: string, webhookId: string) =>
    addJobs(database.pool, { task: 'deliverWebhooks' }, [
      { payload: { webhookId }, key: webhookId, owner: `application of ${webhookId}`, group },
    ]);
  for (const name of ['a 1', 'a 2', 'a 3']) await add('a', name);
  for (const name of ['b 1', 'b 2']) await add('b', name);
  // Replaced, it keeps its round.
  await add('a', 'a 1');
  const order = await taken('deliverWebhooks', ({ webhookId }: JobPayloads['deliverWebhooks']) => webhookId);
  expect([order.slice(0, 2).toSorted(), order.slice(2, 4).toSorted(), order.slice(4)]).toEqual([
    ['a 2', 'b 1'],
    ['a 3', 'b 2'],
    ['a 1'],
  ]);
});

test('several jobs that are added at once take their turns like those that are added one after the other', async () => {
  const job = (owner: string, webhookId: string) => ({ payload: { webhookId }, key: webhookId, owner });
  const jobs = [job('a', 'a 1'), job('a', 'a 2'), job('a', 'a 3'), job('b', 'b 1')];
  await addJobs(database.pool, { task: 'deliverWebhooks' }, jobs);
  const order = await taken('deliverWebhooks', ({ webhookId }: JobPayloads['deliverWebhooks']) => webhookId);
  expect([order.slice(0, 2).toSorted(), order.slice(2)]).toEqual([
    ['a 1', 'b 1'],
    ['a 2', 'a 3'],
  ]);
});

test('a mail that somebody waits for comes before invitations', async () => {
  const owner = { organization: randomUUID(), user: randomUUID() };
  await database.pool.query(`INSERT INTO organizations (id, name) VALUES ($1, 'a')`, [owner.organization]);
  const { rows } = await database.pool.query<{ id: string }>(
    `INSERT INTO memberships (id, organization_id, role, status, invited_email)
    VALUES (gen_random_uuid(), $1, 'admin', 'invited', 'b@example.com')
    RETURNING id`,
    [owner.organization],
  );
  const mail = { mailId: randomUUID(), email: 'b@example.com' };
  await addPasswordMail(database.pool, { ...mail, purpose: 'invitation', membershipId: rows[0]!.id });
  await addPasswordMail(database.pool, { mailId: randomUUID(), email: 'c@example.com', purpose: 'reset' });
  const order = await taken('sendPasswordMail', ({ purpose }: JobPayloads['sendPasswordMail']) => purpose);
  expect(order).toEqual(['reset', 'invitation']);
});

test('a job that is due is not touched when it is woken, and one that is due later runs now', async () => {
  const jobs = ['due', 'later'].map((key) => ({ payload: { applicationId: key }, key, owner: key }));
  const hour = new Date(Date.now() + 3_600_000);
  const task = 'resolveTransactions';
  await addJobs(database.pool, { task }, [jobs[0]!, { ...jobs[1]!, runAt: hour }]);
  const rows = async () =>
    (
      await database.pool.query<{ key: string; revision: number; due: boolean }>(
        'SELECT key, revision, run_at <= now() AS due FROM graphile_worker._private_jobs ORDER BY key',
      )
    ).rows;
  await wakeJobs(database.pool, task, jobs);
  expect(await rows()).toEqual([
    { key: 'due', revision: 0, due: true },
    { key: 'later', revision: 1, due: true },
  ]);
});
