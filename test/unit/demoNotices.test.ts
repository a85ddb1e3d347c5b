// The demo's notifications: sent until the service takes them, and then once more.
import { listen } from '../../src/platform/httpServer/httpServer.ts';
import type { FakePurchase } from '../tools/demo/fakeStore/signedData.ts';
import { startFakeStore } from '../tools/demo/fakeStore/fakeStore.ts';
import { sendNotice } from '../tools/demo/sales/notices.ts';

test('a notification that the service cannot take yet comes again, and a repetition after that', async () => {
  const bodies: string[] = [];
  const server = await listen(
    (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        bodies.push(body);
        response.writeHead(bodies.length === 1 ? 503 : 200).end('{}');
      });
    },
    { port: 0, host: '127.0.0.1' },
  );
  const store = await startFakeStore();
  const purchase: FakePurchase = {
    ...{ transactionId: 't', kind: 'NON_CONSUMABLE', productId: 'p', purchasedAt: new Date('2026-11-21T10:00:00Z') },
  };
  await sendNotice(store, { type: 'REFUND', bundleId: 'com.example.test', purchase }, server.url).finally(async () => {
    await server.drain(0);
    await store.stop();
  });
  expect(bodies).toHaveLength(3);
  expect(new Set(bodies).size).toBe(1);
});
