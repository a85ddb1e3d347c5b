// Attribution and purchases in the reference SDK: each reported once, kept until it was acknowledged, with the same bytes.
import { startSdk } from '../support/sdkRig.ts';

test('an installation reports its attribution once, however often the app calls', async () => {
  const { client, server, acknowledged, restart } = startSdk();
  client.reportAttribution({ provider_a: { network: 'organic' } }, { source: 'test' });
  client.reportAttribution({ provider_a: { network: 'another' } });
  await client.flush();
  await client.flush();
  restart().reportAttribution({ provider_a: { network: 'organic' } });
  expect(server.to('/api/v1/attribution').map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    {
      device: { id: 'd-1' },
      system: { os_version: '18.1' },
      attribution: { provider_a: { network: 'organic' } },
      custom: { source: 'test' },
    },
  ]);
  expect(acknowledged).toEqual(['attribution']);
});

test('without an answer it is sent again, in the next flush too, with the same bytes', async () => {
  const { client, server } = startSdk();
  client.reportAttribution({ provider_b: { attributed: true } });
  server.answer('/api/v1/attribution', [503, null, 503, null, 503]);
  expect(await client.flush()).toBe('unreachable');
  client.setUserId('user-1');
  expect(await client.flush()).toBe('sent');
  const bodies = server.to('/api/v1/attribution').map(({ body }) => body);
  expect([bodies.length, new Set(bodies).size]).toEqual([6, 1]);
});

test('transactions wait until they were acknowledged; one that is reported twice meanwhile is sent once', async () => {
  const { client, server, store, acknowledged } = startSdk();
  client.setUserId('user-1');
  for (const id of ['t-1', 't-2', 't-1']) client.reportTransaction(id);
  server.answer('/api/v1/tm/store', [null, 500, null, 500, null]);
  expect(await client.flush()).toBe('unreachable');
  expect(store.transactionIds).toEqual(['t-1', 't-2']);
  expect(await client.flush()).toBe('sent');
  expect([store.transactionIds, acknowledged]).toEqual([[], ['t-1', 't-2']]);
  expect(JSON.parse(server.to('/api/v1/tm/store').at(-1)!.body)).toEqual({
    device: { id: 'd-1', external_id: 'user-1' },
    transactions: [{ id: 't-1' }, { id: 't-2' }],
  });
});

test('413 is answered with halves; another 4xx is not sent again', async () => {
  const { client, server, acknowledged, warnings } = startSdk();
  for (const id of ['t-1', 't-2', 't-3', 't-4']) client.reportTransaction(id);
  server.answer('/api/v1/tm/store', [413]);
  await client.flush();
  expect(server.to('/api/v1/tm/store').map(({ body }) => body.match(/t-\d/g)!.length)).toEqual([4, 2, 2]);
  expect(acknowledged).toHaveLength(4);
  server.answer('/api/v1/tm/store', [404]);
  client.reportTransaction('t-5');
  expect(await client.flush()).toBe('refused');
  expect(warnings).toEqual(['the server refuses a report to /api/v1/tm/store: 404 {}']);
});
