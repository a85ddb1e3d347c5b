// A worker process is killed while it sends events: the next worker sends every one of them, in order for each object.
import { setTimeout as pause } from 'node:timers/promises';
import { createHostResolver } from '../../src/webhooks/postEvent.ts';
import { askAdmin } from '../support/adminClient.ts';
import { eventually } from '../support/eventually.ts';
import { mailsTo, startMailWorker } from '../support/mail.ts';
import { type MailServer, startMailServer } from '../support/mailServer.ts';
import { startNameServer } from '../support/nameServer.ts';
import { clearAway, runBuilt, type RunningProcess, until } from '../support/serviceProcess.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';
import { enqueue, type Receiver, startReceiver, storeWebhook } from '../support/webhooks.ts';
import { withConnection } from './support/faultService.ts';
import { testFault } from './support/scenario.ts';

describe('webhooks', () => {
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
});

// Hundreds of webhooks wait on name servers that never respond, and the database ends every connection: uploads, mails and other webhooks go on.
describe('webhookNames', () => {
  const hungWebhooks = 20;
  const hungEvents = 30;
  let service: TestService;
  let mailServer: MailServer;
  beforeAll(async () => {
    // By its name, so that each new connection looks it up as in production.
    process.env['TEST_SERVER_URL'] = process.env['TEST_SERVER_URL']!.replace('127.0.0.1', 'localhost');
    service = await startTestService();
    mailServer = await startMailServer();
  });
  afterAll(async () => {
    await mailServer.stop();
    await service.stop();
  });

  /** 600 deliveries of one organization, each to a name of its own webhook. */
  async function storeHung(): Promise<void> {
    const { id: applicationId } = await service.newApplication();
    for (let n = 0; n < hungWebhooks; n++) {
      await storeWebhook(service, applicationId, `http://slow-${n}.example.com/hooks`);
    }
    for (let event = 1; event < hungEvents; event++) {
      await enqueue(service, { applicationId, orderKey: `object ${event}` });
    }
  }

  async function mailArrives(): Promise<void> {
    const { email } = await newUser(service, await newOrganization(service));
    const query = `mutation { resetPassword(input: { email: "${email}" }) }`;
    expect((await askAdmin(service.url, { query })).data).toEqual({ resetPassword: true });
    await mailsTo(mailServer, email);
  }

  async function eventArrives(receiver: Receiver): Promise<void> {
    const { id: applicationId } = await service.newApplication();
    const before = receiver.received.length;
    const url = receiver.url.replace('127.0.0.1', 'shop.example.com');
    await storeWebhook(service, applicationId, url);
    await enqueue(service, { applicationId });
    await eventually(
      async () => receiver.received.length - before,
      (count) => count >= 2,
    );
  }

  async function endConnections(): Promise<number> {
    return withConnection(service.database.url, async (client) => {
      const { rowCount } = await client.query(`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`);
      return rowCount ?? 0;
    });
  }

  testFault({
    name: '600 deliveries to names whose name servers never respond, and all connections ended',
    times: { short: 1, long: 10 },
    async run({ times, injected, trial }) {
      await using names = await startNameServer({ 'shop.example.com': ['127.0.0.1'] });
      await using receiver = await startReceiver();
      await storeHung();
      const resolve = createHostResolver({ nameServers: names.nameServers });
      const smtpUrl = mailServer.url.replace('127.0.0.1', 'localhost');
      const stopWorker = await startMailWorker(service, { smtpUrl }, { post: { production: false, resolve } });
      try {
        const steady = await trial({
          ...{ databaseUrl: service.database.url, application: await service.newApplication() },
          url: () => service.url,
        });
        steady.load(4);
        await steady.recovered();
        for (let time = 0; time < times; time++) {
          const before = names.asked.length;
          while (names.asked.length < before + hungWebhooks / 2) await pause(20);
          injected(await endConnections());
          await steady.recovered();
          await mailArrives();
          await eventArrives(receiver);
        }
      } finally {
        await stopWorker();
      }
    },
  });
});
