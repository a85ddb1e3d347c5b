// Attribution and purchases in the reference SDK: each is reported once, kept until it is acknowledged, and retried with the same bytes.
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
  const { client, server, time } = startSdk();
  client.reportAttribution({ provider_b: { attributed: true } });
  server.answer('/api/v1/attribution', [503, null, 503, null, 503]);
  expect(await client.flush()).toBe('unreachable');
  expect(await client.flush()).toBe('unreachable');
  client.setUserId('user-1');
  time.advance(24_000);
  expect(await client.flush()).toBe('sent');
  const bodies = server.to('/api/v1/attribution').map(({ body }) => body);
  expect([bodies.length, new Set(bodies).size]).toEqual([6, 1]);
});

test('transactions wait until they were acknowledged; one that is reported twice meanwhile is sent once', async () => {
  const { client, server, store, time, acknowledged } = startSdk();
  client.setUserId('user-1');
  for (const id of ['t-1', 't-2', 't-1']) client.reportTransaction(id);
  server.answer('/api/v1/tm/store', [null, 500, null, 500, null]);
  expect(await client.flush()).toBe('unreachable');
  expect(store.transactionIds).toEqual(['t-1', 't-2']);
  time.advance(60_000);
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
  expect(warnings).toEqual(['the server refuses transactions: 404 {}']);
});

test.each([413, 422])('an attribution refused with %i is set aside, and what follows it goes', async (status) => {
  const { client, server, store, acknowledged, restart } = startSdk();
  const attribution = { provider_a: { network: 'organic' } };
  client.launch();
  client.reportAttribution(attribution);
  client.reportTransaction('good-1');
  server.answer('/api/v1/attribution', [status]);
  expect(await client.flush()).toBe('sent');
  expect(acknowledged).toContain('good-1');
  expect(server.to('/api/v1/campaigns')).toHaveLength(1);
  restart().reportAttribution(attribution);
  await client.flush();
  expect(server.to('/api/v1/attribution')).toHaveLength(1);
  expect(store.refusedReports.attributions).toEqual([server.to('/api/v1/attribution')[0]!.body]);
  client.reportAttribution({ provider_a: { network: 'another' } });
  await client.flush();
  expect(acknowledged).toContain('attribution');
});

test('a large attribution is sent with gzip, the same bytes each time', async () => {
  const { client, server } = startSdk();
  client.reportAttribution({ provider_a: { text: 'x'.repeat(60_000) } });
  server.answer('/api/v1/attribution', [503]);
  await client.flush();
  const sent = server.to('/api/v1/attribution');
  expect(sent.map(({ headers }) => headers.get('Content-Encoding'))).toEqual(['gzip', 'gzip']);
  expect(sent[0]!.body.length).toBeLessThan(10_000);
  expect(sent[1]!.body).toBe(sent[0]!.body);
});

test('an attribution with a payload that no server stores is not reported', async () => {
  const { client, server, warnings } = startSdk();
  client.reportAttribution({ provider_a: { text: 'é'.repeat(32_762) } }, { text: 'x'.repeat(65_526) });
  client.reportAttribution({ provider_b: { text: 'é'.repeat(32_762) } }, { text: 'x'.repeat(65_525) });
  expect(await client.flush()).toBe('sent');
  expect(warnings).toEqual(['not reported: the payload custom has more than 65,536 bytes']);
  expect(server.to('/api/v1/attribution')).toHaveLength(1);
});

test('a transaction that the server names as refused is set aside, and the others go', async () => {
  const { client, server, store, acknowledged } = startSdk();
  for (const id of ['t-1', 't-2', 't-3']) client.reportTransaction(id);
  server.answer('/api/v1/tm/store', [422]);
  server.body('/api/v1/tm/store', 422, { fields: [{ path: 'transactions[1].id', message: 'is wrong' }] });
  expect(await client.flush()).toBe('sent');
  expect(acknowledged).toEqual(['t-1', 't-3']);
  client.reportTransaction('t-2');
  expect(store.transactionIds).toEqual([]);
  expect(store.refusedReports.transactionIds).toEqual(['t-2']);
});

test('path "" sets all transactions of the upload aside, and later ones go', async () => {
  const { client, server, store, acknowledged } = startSdk();
  client.reportTransaction('t-1');
  server.answer('/api/v1/tm/store', [422]);
  server.body('/api/v1/tm/store', 422, { fields: [{ path: '', message: 'is wrong' }] });
  expect(await client.flush()).toBe('sent');
  client.reportTransaction('t-2');
  await client.flush();
  expect([acknowledged, store.refusedReports.transactionIds]).toEqual([['t-2'], ['t-1']]);
});

test('a refused external_id is left out, and a refused device holds the transactions until the next start', async () => {
  const { client, server, store, acknowledged, restart } = startSdk();
  client.setUserId('user-1');
  client.reportTransaction('t-1');
  server.answer('/api/v1/tm/store', [422]);
  server.body('/api/v1/tm/store', 422, { fields: [{ path: 'device.external_id', message: 'is wrong' }] });
  expect(await client.flush()).toBe('sent');
  expect(JSON.parse(server.to('/api/v1/tm/store').at(-1)!.body)).toMatchObject({ device: { id: 'd-1' } });
  expect(server.to('/api/v1/tm/store').at(-1)!.body).not.toContain('external_id');
  client.reportTransaction('t-2');
  server.answer('/api/v1/tm/store', [422]);
  server.body('/api/v1/tm/store', 422, { fields: [{ path: 'device.id', message: 'is wrong' }] });
  expect([await client.flush(), await client.flush(), store.transactionIds]).toEqual(['held', 'held', ['t-2']]);
  expect(server.to('/api/v1/tm/store')).toHaveLength(3);
  expect([await restart().flush(), acknowledged]).toEqual(['sent', ['t-1', 't-2']]);
});

test('a refused external_id that was not sent holds the transactions: the same request would be refused for ever', async () => {
  const { client, server } = startSdk();
  client.reportTransaction('t-1');
  server.answer('/api/v1/tm/store', [422]);
  server.body('/api/v1/tm/store', 422, { fields: [{ path: 'device.external_id', message: 'is wrong' }] });
  expect([await client.flush(), await client.flush()]).toEqual(['held', 'held']);
  expect(server.to('/api/v1/tm/store')).toHaveLength(1);
});

test.each(['', ' ', 'a\u0000', 'x'.repeat(257)])('the transaction id %j is refused where it is reported', (id) => {
  const { client, store, warnings } = startSdk();
  client.reportTransaction(id);
  expect(store.transactionIds).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining('not reported: ')]);
});
