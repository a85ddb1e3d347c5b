// How an event reaches a URL in an unusual spelling.
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  createHostResolver,
  faultOfUrl,
  isPublicAddress,
  newWebhookSecret,
  postEvent,
  signedEventHeaders,
} from '../../src/webhooks/postEvent.ts';
import { readWebhookInput } from '../../src/webhooks/webhookEdit.ts';
import { startNameServer } from '../support/nameServer.ts';
import { isSigned } from '../support/webhooks.ts';

describe('postEvent', () => {
  test.each(['HTTPS', ' https', 'hTTps'])('an event for %s:// goes out over TLS', async (scheme) => {
    const first: number[] = [];
    const server = net.createServer((socket) => {
      socket.once('data', ([byte]) => {
        first.push(byte!);
        socket.destroy();
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const options = { production: false, resolve: createHostResolver(), timeLimitMillis: 5_000 };
    const sent = postEvent(
      { organizationId: 'a', url, headers: {}, body: '{}' },
      options,
      new AbortController().signal,
    );
    await expect(sent).rejects.toMatchObject({ word: 'connection' });
    server.close();
    // The type of a handshake record.
    expect(first).toEqual([22]);
  });
});

// The look-up of a receiver's name: over sockets of its own, within a time limit, and in turns of organizations.
describe('resolveHost', () => {
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
});

// Which addresses a webhook may have: everything that is not the public internet is refused, in every spelling.
describe('publicAddress', () => {
  const refused = [
    ...['0.0.0.0', '10.0.0.1', '100.64.0.1', '127.0.0.1', '127.255.255.255', '169.254.169.254', '172.16.0.1'],
    ...['172.31.255.255', '192.0.0.1', '192.0.2.1', '192.88.99.1', '192.168.1.1', '198.18.0.1', '198.51.100.1'],
    ...['203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '::', '::1', '::ffff:10.0.0.1', '::ffff:8.8.8.8'],
    ...['::10.0.0.1', '64:ff9b::a00:1', '100::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'ff02::1'],
    ...['2001::1', '2001:db8::1', '2002:a00:1::1', '3fff::1', 'localhost', ''],
  ];
  test.each(refused)('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));

  test.each(['8.8.8.8', '172.32.0.1', '192.169.0.1', '100.63.255.255', '2606:4700::1111', '2a00:1450:4001::1'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  test.each<[string, boolean, boolean]>([
    ['https://shop.example.com/hooks?a=b', true, true],
    ['https://8.8.8.8/', true, true],
    ['http://shop.example.com/', false, true],
    ['http://localhost:9000/', false, true],
    ['http://127.0.0.1:9000/', false, true],
    ['http://[::1]:9000/', false, true],
    ['https://127.0.0.1/', false, true],
    ['https://2130706433/', false, true],
    ['https://0x7f.1/', false, true],
    ['https://10.0.0.1/', false, false],
    ['https://0xA9FEA9FE/', false, false],
    ['https://[::ffff:10.0.0.1]/', false, false],
    ['https://[fe80::1]/', false, false],
    ['ftp://shop.example.com/', false, false],
    ['https://ann:secret@shop.example.com/', false, false],
    ['https://shop.example.com/#a', false, false],
    ['shop.example.com', false, false],
    ['https://shop.example.com:0/', false, false],
    ['https://shop.example.com:8443/', true, true],
  ])('%s: in production %s, elsewhere %s', (url, inProduction, elsewhere) => {
    expect([faultOfUrl(url, { production: true }) === null, faultOfUrl(url, { production: false }) === null]).toEqual([
      inProduction,
      elsewhere,
    ]);
  });

  test.each([
    ' https://shop.example.com/',
    'https://shop.example.com/\n',
    'https://shop.example.com/a b',
    'https://sh\top.example.com',
  ])('white space in %j is refused before it is stored', (url) => {
    const input = { id: '0192f0c4-1111-7000-8000-000000000001', url };
    const fields = [{ path: 'input.url', message: 'must have no white space' }];
    expect(() => readWebhookInput(input as never, { production: true })).toThrow(
      expect.objectContaining({ code: 'validation_failed', details: { fields } }) as Error,
    );
  });
});

// The signature of events: the example that the libraries of Standard Webhooks test themselves with, and the tests' own verifier.
describe('webhookSecret', () => {
  const example = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    at: new Date(1_614_265_330_000),
    body: '{"test": 2432232314}',
  };

  test('the example of the standard has the signature of the standard', () => {
    expect(signedEventHeaders('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', example)).toMatchObject({
      'webhook-id': example.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  test('a secret of this service has 256 random bits, and the verifier refuses every change', () => {
    const secret = newWebhookSecret();
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
    const headers = signedEventHeaders(secret, example);
    expect(isSigned(secret, headers, example.body)).toBe(true);
    expect(isSigned(secret, headers, `${example.body} `)).toBe(false);
    expect(isSigned(secret, { ...headers, 'webhook-id': 'another' }, example.body)).toBe(false);
    expect(isSigned(secret, { ...headers, 'webhook-timestamp': '1614265331' }, example.body)).toBe(false);
    expect(isSigned(newWebhookSecret(), headers, example.body)).toBe(false);
  });
});
