// The job deliverWebhooks puts its next attempt into the queue, and puts off no event that is written meanwhile.
import { startTestService } from '../support/testService.ts';
import { deliver, enqueue, startReceiver, storeWebhook } from '../support/webhooks.ts';

test('an event that is written while the job looks for its next attempt does not wait for that attempt', async () => {
  await using service = await startTestService();
  await using receiver = await startReceiver();
  const { id: applicationId } = service.application;
  const { webhook } = await storeWebhook(service, applicationId, receiver.url);
  receiver.respond = (response) => void response.writeHead(503).end();
  const { pool: own } = service.database;
  let looks = 0;
  const query = async (statement: { text: string }) => {
    const found = await own.query(statement);
    if (!statement.text.includes('findNextAttempt') || (looks += 1) > 1) return found;
    await enqueue(service, { applicationId, orderKey: 'b' });
    return found;
  };
  await deliver(service, webhook, { pool: Object.assign(Object.create(own) as typeof own, { query }) });
  const { rows } = await own.query('SELECT run_at <= now() AS is_due FROM graphile_worker.jobs WHERE key = $1', [
    `deliverWebhooks:${webhook}`,
  ]);
  expect(rows).toEqual([{ is_due: true }]);
});
