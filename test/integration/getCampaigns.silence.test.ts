// The network between a process and its notifications falls silent: no error appears, and an edit still arrives within a second.
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { jest } from '@jest/globals';
import { createCampaignDirectory } from '../../src/campaigns/campaignDirectory.ts';
import { findDeliverableCampaigns } from '../../src/campaigns/campaignsStore.ts';
import { subscribe, type Subscription } from '../../src/platform/database/notifications.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { deliveredIn, editCampaign, storeCampaign } from '../support/campaigns.ts';
import { eventually } from '../support/eventually.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
let proxy: { server: Server; url: string; sockets: Socket[] };
beforeAll(async () => {
  service = await startTestService();
  proxy = await startProxy(service.database.url);
});
afterAll(async () => {
  proxy.sockets.forEach((socket) => socket.destroy());
  proxy.server.close();
  await service.stop();
});

test('memory is not trusted, and is trusted again over a new connection', async () => {
  const { id } = service.application;
  const { pool } = service.database;
  // Stopped, so that no pause of the machine takes the second in which memory is trusted.
  const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  let reads = 0;
  let subscription: Subscription;
  const campaigns = createCampaignDirectory({
    read(applicationId) {
      reads += 1;
      return findDeliverableCampaigns(pool, { applicationId, endedBefore: new Date(0) });
    },
    subscribe(handlers) {
      // Longer than a pause of a busy machine, which is no silence.
      const connection = { connectionString: proxy.url, query_timeout: 9_000, connectionTimeoutMillis: 20_000 };
      const options = { ...handlers, connection, channel: 'campaigns_changed', log: createLog('silent') };
      return (subscription = subscribe(options));
    },
  });
  const live = () =>
    eventually(
      async () => subscription.live(),
      (is) => is,
    );
  const name = () => campaigns.find(id, new Date()).then((config) => deliveredIn(config)[0]?.name);
  const campaign = await storeCampaign(service, { name: 'one' });
  await name();
  await live();
  expect(await name()).toBe('one');
  proxy.sockets.splice(0).forEach((socket) => socket.pause());
  const edited = await editCampaign(service, campaign, { name: 'two' });
  expect(await name()).toBe('one');
  clock.mockReturnValue(performance.now() + 1_001);
  expect(await name()).toBe('two');
  expect(subscription!.live()).toBe(false);
  await live();
  await name();
  const readsBefore = reads;
  await editCampaign(service, edited, { name: 'three' });
  await eventually(name, (is) => is === 'three');
  expect(reads).toBe(readsBefore + 1);
  clock.mockRestore();
  await campaigns.stop();
});

/** Forwards bytes both ways until its sockets are paused. */
async function startProxy(databaseUrl: string): Promise<typeof proxy> {
  const target = new URL(databaseUrl);
  const sockets: Socket[] = [];
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.push(from);
      from.on('data', (bytes) => to.write(bytes));
      from.on('close', () => to.destroy());
      from.on('error', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { server, url: url.href, sockets };
}
