// Purchases: a store that redirects gets no second call, so that no token reaches another host.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createStoreServerClient } from '../../src/purchases/storeServerClient.ts';
import { newAccount } from '../support/fakeStore.ts';

const servers: Server[] = [];
afterAll(() => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve)))));

async function listen(respond: RequestListener): Promise<string> {
  const server = createServer(respond);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([302, 307])('nobody follows a %s', async (status) => {
  const calls: string[] = [];
  const elsewhere = await listen((request, response) => {
    calls.push(`elsewhere ${request.url}`);
    response.end('{}');
  });
  const apiUrl = await listen((request, response) => {
    calls.push(`store ${request.url}`);
    response.writeHead(status, { Location: `${elsewhere}${request.url}`, Connection: 'close' }).end();
  });
  const server = { rootCertificates: [], apiUrl, timeLimitMillis: 5_000, now: () => new Date() };
  const client = createStoreServerClient(server, newAccount(), new AbortController().signal);
  expect(await client.transaction('PRODUCTION', '1')).toMatchObject({ failure: { kind: 'unreachable' } });
  expect(calls).toEqual(['store /production/inApps/v1/transactions/1']);
});
