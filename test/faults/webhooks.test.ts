// A worker process is killed while it sends events: the next worker sends every one of them, in order for each object.
import { enqueue, startReceiver, storeWebhook } from '../support/webhooks.ts';
import { clearAway, runBuilt, until, type RunningProcess } from '../support/serviceProcess.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { testFault } from './support/scenario.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => {
  await clearAway();
  await service.stop();
});

async function startWorkerProcess(): Promise<RunningProcess> {
  const running = runBuilt('src/main.js', {
    ROLE: 'worker',
    OPS_PORT: '0',
    DATABASE_URL: service.database.url,
    ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
  });
  await until(() => (running.stdout().includes('"msg":"listening"') ? true : undefined), running);
  return running;
}

const objects = ['a', 'b', 'c'];
const each = 5;

testFault({
  name: 'worker killed with -9 while it sends webhooks: events, delivered in order for each object',
  times: { short: 1, long: 5 },
  async run({ times, injected, add }) {
    await using receiver = await startReceiver();
    const { id: applicationId } = await service.newApplication();
    const { webhook: webhookId, secret } = await storeWebhook(service, applicationId, receiver.url);
    receiver.secret = secret;
    let worker = await startWorkerProcess();
    for (let kill = 1; kill <= times; kill++) {
      const seen = receiver.received.length;
      // The receiver has the event and does not respond, so that the kill comes in the middle.
      receiver.respond = () => undefined;
      for (let n = 1; n <= each; n++) {
        for (const object of objects) {
          await enqueue(service, { applicationId, orderKey: object, data: { object, n: kill * each + n } });
        }
      }
      await until(() => (receiver.received.length > seen ? true : undefined), worker);
      await worker.end('SIGKILL');
      injected();
      receiver.respond = (response) => void response.end();
      worker = await startWorkerProcess();
      for (let left = 1; left > 0;) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        left = await service.database.prisma.webhookDelivery.count({
          where: { webhookId, state: { not: 'DELIVERED' } },
        });
      }
    }
    const firsts = objects.map((object) => {
      const numbers = receiver.received
        .filter(({ body }) => body.data['object'] === object)
        .map(({ body }) => body.data['n']);
      return [...new Set(numbers as number[])];
    });
    const sent = Array.from({ length: times * each }, (_, index) => each + index + 1);
    // The first arrival of each event is in order, and all signatures are right.
    expect(firsts).toEqual(objects.map(() => sent));
    expect(receiver.received.every(({ verified }) => verified)).toBe(true);
    const arrived = firsts.flat().length;
    add({ acknowledged: times * each * objects.length, lost: times * each * objects.length - arrived, doubled: 0 });
    expect(await worker.end('SIGTERM')).toEqual({ code: 0, signal: null });
  },
});
