// What bounds the deliveries of a webhook: how many wait, what becomes of those whose secret cannot be opened, and of jobs that were given up.
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { mostWaiting } from '../../src/webhooks/backlogStore.ts';
import { queueForgottenDeliveries } from '../../src/webhooks/deliveriesReadStore.ts';
import { addDeliveryJobs } from '../../src/webhooks/deliveryJobs.ts';
import { enqueueWebhooks } from '../../src/webhooks/enqueueWebhook.ts';
import { eventually } from '../support/eventually.ts';
import { startMailWorker } from '../support/mail.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf } from '../support/testUsers.ts';
import { deliver, enqueue, startReceiver, storeWebhook } from '../support/webhooks.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const row = (id: string) => service.database.prisma.webhookDelivery.findUniqueOrThrow({ where: { id } });
const countOf = (webhookId: string) => service.database.prisma.webhookDelivery.count({ where: { webhookId } });

/** Deliveries that wait until tomorrow, each of an object of its own. */
async function fillUp(webhook: string, count: number): Promise<void> {
  await service.database.pool.query(
    `INSERT INTO webhook_deliveries (id, webhook_id, order_key, type, body, created_at, next_attempt_at)
    SELECT gen_random_uuid(), $1, 'filled ' || n, 'CAMPAIGN_STATE_CHANGED', '{}', now(), now() + interval '1 day'
    FROM generate_series(1, $2::integer) AS n`,
    [webhook, count],
  );
}

/** As after the room of the last count is used up, and 10 s later. */
async function forgetRoom(): Promise<void> {
  await service.database.pool.query(`UPDATE webhook_backlogs SET room = 0, looked_at = now() - interval '1 minute'`);
}

test('a webhook that is full loses the events that come, which is seen at it, and gets events again when it has room', async () => {
  const { id: applicationId } = await service.newApplication();
  const { webhook, delivery } = await storeWebhook(service, applicationId);
  const other = await storeWebhook(service, applicationId);
  const admin = await newUser(service, await organizationOf(service, applicationId), 'admin');
  const seen = async () => {
    const query = `{ webhooks(applicationId: "${applicationId}") { id droppedEvents lastDroppedAt } }`;
    const { data, errors } = await admin.ask(query);
    expect(errors).toEqual([]);
    return (data!['webhooks'] as { id: string }[]).find(({ id }) => id === webhook);
  };
  expect(await seen()).toMatchObject({ droppedEvents: 0, lastDroppedAt: null });
  // The second `storeWebhook` has written an event for the first webhook too.
  await fillUp(webhook, mostWaiting - 1_001);
  await forgetRoom();
  for (const orderKey of ['a', 'b', 'c']) await enqueue(service, { applicationId, orderKey });
  expect([await countOf(webhook), await countOf(other.webhook)]).toEqual([mostWaiting - 999, 4]);
  expect(await seen()).toEqual({ id: webhook, droppedEvents: 3, lastDroppedAt: expect.any(String) as string });

  const counted: number[] = [];
  const deps = { eventsDropped: (count: number) => void counted.push(count), post: { timeLimitMillis: 1 } };
  for (let time = 0; time < 2; time += 1) await deliver(service, webhook, deps);
  expect(counted).toEqual([3]);

  const redeliver = (id: string) => admin.ask(`mutation { webhookRedeliver(deliveryId: "${id}") { state } }`);
  // Of a delivery that waits anyway.
  expect((await redeliver(delivery)).errors).toEqual([]);
  await service.database.prisma.webhookDelivery.update({ where: { id: delivery }, data: { state: 'PARKED' } });
  expect((await redeliver(delivery)).errors).toMatchObject([{ extensions: { code: 'CONFLICT', reason: 'full' } }]);

  await service.database.pool.query(
    `UPDATE webhook_deliveries SET state = 'DELIVERED', ended_at = now()
    WHERE webhook_id = $1 AND order_key LIKE 'filled %'`,
    [webhook],
  );
  await forgetRoom();
  const before = await countOf(webhook);
  await enqueue(service, { applicationId, orderKey: 'd' });
  expect(await countOf(webhook)).toBe(before + 1);
  expect((await redeliver(delivery)).errors).toEqual([]);
  expect(await seen()).toMatchObject({ droppedEvents: 3 });
});

test('one write that brings more than the room is cut, and the room of a count is used up without another', async () => {
  const { id: applicationId } = await service.newApplication();
  const { webhook } = await storeWebhook(service, applicationId);
  await fillUp(webhook, mostWaiting - 1_101);
  await forgetRoom();
  const write = async (count: number): Promise<number> => {
    const messages = Array.from({ length: count }, (_, n) => ({ orderKey: `${n}`, ...given }));
    const dataOf = async (wanted: object[]) => wanted.map(() => ({}));
    return inTransaction(service.database.pool, (transaction) =>
      enqueueWebhooks(transaction, { applicationId, messages, dataOf }),
    );
  };
  const given = { type: 'CAMPAIGN_STATE_CHANGED', at: new Date() } as const;
  // 18,900 wait.
  expect([await write(300), await write(900), await write(10)]).toEqual([300, 800, 0]);
  expect(await countOf(webhook)).toBe(mostWaiting);
  const { dropped } = await service.database.prisma.webhookBacklog.findUniqueOrThrow({ where: { webhookId: webhook } });
  expect(dropped).toBe(110n);
});

const otherKey = createEncryption(Buffer.alloc(32, 9));

test('a delivery whose secret this process cannot open is no failure of the job, and another process sends it', async () => {
  await using receiver = await startReceiver();
  const { id: applicationId } = await service.newApplication();
  const { webhook, delivery } = await storeWebhook(service, applicationId, { url: receiver.url, encryption: otherKey });
  await deliver(service, webhook);
  expect(await row(delivery)).toMatchObject({ state: 'PENDING', attempts: 1, lastStatus: null, lastError: 'secret' });
  expect(receiver.received).toEqual([]);
  await deliver(service, webhook, { encryption: otherKey, now: () => new Date(Date.now() + 60_000) });
  expect(await row(delivery)).toMatchObject({ state: 'DELIVERED', lastError: null });
});

const deadJobs = async () => {
  const { rows } = await service.database.pool.query<{ key: string | null }>(
    `SELECT key FROM graphile_worker.jobs
    WHERE task_identifier = 'deliverWebhooks' AND attempts >= max_attempts ORDER BY id`,
  );
  return rows;
};

test('events that come while an old process runs leave no dead jobs', async () => {
  const { id: applicationId } = await service.newApplication();
  const { webhook } = await storeWebhook(service, applicationId, { encryption: otherKey });
  const stopWorker = await startMailWorker(service, {});
  try {
    for (let event = 0; event < 20; event += 1) await enqueue(service, { applicationId, orderKey: `${event}` });
    await eventually(
      () => service.database.prisma.webhookDelivery.count({ where: { webhookId: webhook, lastError: 'secret' } }),
      (count) => count === 21,
    );
  } finally {
    await stopWorker();
  }
  expect(await deadJobs()).toEqual([]);
});

test('jobs that were given up go when a later one has replaced them, or nothing waits any more', async () => {
  const { pool } = service.database;
  const { id: applicationId } = await service.newApplication();
  const needed = await storeWebhook(service, applicationId);
  const idle = await storeWebhook(service, applicationId);
  await pool.query(`UPDATE webhook_deliveries SET state = 'PARKED', ended_at = now() WHERE webhook_id = $1`, [
    idle.webhook,
  ]);
  await pool.query(`UPDATE webhook_deliveries SET next_attempt_at = now() - interval '1 hour' WHERE webhook_id = $1`, [
    needed.webhook,
  ]);
  await addDeliveryJobs(pool, [needed.webhook, idle.webhook]);
  const keyOf = ({ webhook }: { webhook: string }) => `deliverWebhooks:${webhook}`;
  await pool.query(`UPDATE graphile_worker._private_jobs SET attempts = max_attempts WHERE key = ANY($1)`, [
    [keyOf(needed), keyOf(idle)],
  ]);
  // As the queue leaves a job that fails after another has taken its key.
  await pool.query(`SELECT graphile_worker.add_job('deliverWebhooks', '{}', job_key => 'replaced')`);
  await pool.query(
    `UPDATE graphile_worker._private_jobs SET attempts = max_attempts, key = NULL WHERE key = 'replaced'`,
  );
  expect(await deadJobs()).toHaveLength(3);
  await queueForgottenDeliveries(pool);
  expect(await deadJobs()).toEqual([]);
  const { rows } = await pool.query<{ key: string }>('SELECT key FROM graphile_worker.jobs WHERE key = ANY($1)', [
    [keyOf(needed), keyOf(idle)],
  ]);
  expect(rows).toEqual([{ key: keyOf(needed) }]);
});
