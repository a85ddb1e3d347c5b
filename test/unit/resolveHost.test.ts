// The look-up of a receiver's name: over sockets of its own, within a time limit, and in turns of organizations.
import { setTimeout as pause } from 'node:timers/promises';
import { createHostResolver } from '../../src/webhooks/resolveHost.ts';
import { startNameServer } from '../support/nameServer.ts';

const never = () => new AbortController().signal;
const threadsUsed = () => process.getActiveResourcesInfo().filter((name) => /GetAddrInfo/i.test(name));

test('a name has the addresses that its name server gives', async () => {
  await using server = await startNameServer({ 'shop.example.com': ['8.8.8.8', '1.1.1.1'] });
  const resolve = createHostResolver({ nameServers: server.nameServers });
  expect(await resolve('shop.example.com', { organizationId: 'a', signal: never() })).toEqual([
    { address: '8.8.8.8', family: 4 },
    { address: '1.1.1.1', family: 4 },
  ]);
});

test('a name that does not exist is no timeout', async () => {
  await using server = await startNameServer({ 'gone.example.com': [] });
  const resolve = createHostResolver({ nameServers: server.nameServers });
  await expect(resolve('gone.example.com', { organizationId: 'a', signal: never() })).rejects.toMatchObject({
    code: 'ENOTFOUND',
  });
});

test.each(['localhost', 'LOCALHOST.', 'a.localhost'])(
  '%s is this machine, whatever a name server says',
  async (host) => {
    await using server = await startNameServer({ [host.toLowerCase()]: ['8.8.8.8'] });
    const resolve = createHostResolver({ nameServers: server.nameServers });
    const found = await resolve(host, { organizationId: 'a', signal: never() });
    expect(found.map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
    expect(server.asked).toEqual([]);
  },
);

test('a name server that never responds ends in a timeout, and takes no thread of the process', async () => {
  await using server = await startNameServer();
  const resolve = createHostResolver({ nameServers: server.nameServers, timeLimitMillis: 300 });
  const looked = resolve('slow.example.com', { organizationId: 'a', signal: never() });
  while (server.asked.length === 0) await pause(10);
  expect(threadsUsed()).toEqual([]);
  await expect(looked).rejects.toMatchObject({ name: 'TimeoutError' });
});

test('a look-up ends with its delivery', async () => {
  await using server = await startNameServer();
  const resolve = createHostResolver({ nameServers: server.nameServers });
  const stop = new AbortController();
  const looked = resolve('slow.example.com', { organizationId: 'a', signal: stop.signal });
  while (server.asked.length === 0) await pause(10);
  stop.abort(new Error('the process stops'));
  await expect(looked).rejects.toThrow('the process stops');
});

test('an organization whose name servers never respond waits for itself, and others do not wait for it', async () => {
  await using server = await startNameServer({ 'shop.example.com': ['8.8.8.8'] });
  const bounds = { atOnce: 4, ofOneOrganization: 2, timeLimitMillis: 60_000 };
  const resolve = createHostResolver({ nameServers: server.nameServers, ...bounds });
  const stop = new AbortController();
  const hung = Array.from({ length: 10 }, (_, n) =>
    resolve(`slow-${n}.example.com`, { organizationId: 'hostile', signal: stop.signal }),
  );
  const ends = Promise.allSettled(hung);
  while (new Set(server.asked).size < 2) await pause(10);
  const found = await resolve('shop.example.com', { organizationId: 'honest', signal: never() });
  expect(found).toEqual([{ address: '8.8.8.8', family: 4 }]);
  expect(new Set(server.asked)).toEqual(new Set(['slow-0.example.com', 'slow-1.example.com', 'shop.example.com']));
  stop.abort(new Error('the end of the test'));
  expect((await ends).every(({ status }) => status === 'rejected')).toBe(true);
});
