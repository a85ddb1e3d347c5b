// Hundreds of webhooks wait on name servers that never respond, and the database ends every connection: uploads, mails and other webhooks go on.
import { setTimeout as pause } from 'node:timers/promises';
import { createHostResolver } from '../../src/webhooks/resolveHost.ts';
import { askAdmin } from '../support/adminClient.ts';
import { eventually } from '../support/eventually.ts';
import { mailsTo, startMailWorker } from '../support/mail.ts';
import { startMailServer, type MailServer } from '../support/mailServer.ts';
import { startNameServer } from '../support/nameServer.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';
import { enqueue, startReceiver, storeWebhook, type Receiver } from '../support/webhooks.ts';
import { withConnection } from './support/faultService.ts';
import { testFault } from './support/scenario.ts';

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
