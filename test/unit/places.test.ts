// The places of requests in the admin API: which request begins, which waits, which is refused, and when a place is free again.
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import express, { type Request, type Response as Answer } from 'express';
import { createPlaces, defaultPlaces, takePlaces, untilTurn, type PlaceBounds } from '../../src/graphql/places.ts';
import { listen, type Listener } from '../../src/platform/httpServer/httpServer.ts';
import { currentLane } from '../../src/platform/turns.ts';

const listeners: Listener[] = [];
const clients: Socket[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await Promise.all(listeners.splice(0).map((listener) => listener.drain(0)));
});

interface Begun {
  request: Request;
  response: Answer;
  lane: string;
}

/**
 * A server whose requests end when the test ends them. The path names a request, its first letter the organization, and its
 * first two the user. Users run any number at once unless `callers` says otherwise.
 */
async function serve(
  changed: Partial<PlaceBounds['requests']> = {},
  large: Partial<PlaceBounds['large']> = {},
  callers: Partial<PlaceBounds['callers']> = {},
  userOf = (name: string): string => name.slice(0, 2),
) {
  const bounds = {
    callers: { ...defaultPlaces.callers, ofOneLane: Infinity, ...callers },
    requests: { ...defaultPlaces.requests, patienceMillis: 60_000, ...changed },
    large: { ...defaultPlaces.large, ofOneLane: defaultPlaces.large.atOnce, ...large },
  };
  const places = createPlaces(bounds);
  const begun = new Map<string, Begun>();
  const errors: string[] = [];
  let arrived = 0;
  const app = express().use(
    ({ url }, response, next) => {
      arrived += 1;
      const organization = url[1]!;
      const authenticate = () => {
        if (organization === '!') return Promise.reject(new Error('the database is away'));
        const userId = userOf(url.slice(1));
        return Promise.resolve(organization === '-' ? null : { userId, organizationId: organization });
      };
      const metrics = { adminError: (code: string) => void errors.push(code) };
      response.locals['context'] = { address: '203.0.113.7', authenticate, metrics };
      next();
    },
    takePlaces(places),
    (request, response) => void begun.set(request.url.slice(1), { request, response, lane: currentLane() }),
  );
  const listener = await listen(app, { port: 0, host: '127.0.0.1' });
  listeners.push(listener);
  const url = new URL(listener.url);
  /** One connection, and its requests, one behind the other. */
  const connect = async (...names: string[]): Promise<Socket> => {
    const client = createConnection(Number(url.port), url.hostname).on('error', () => undefined);
    clients.push(client);
    const all = arrived + names.length;
    client.write(names.map((name) => `GET /${name} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
    while (arrived < all) await pause(1);
    await settle();
    return client;
  };
  const names = (): string[] => [...begun.keys()];
  const end = async (name: string): Promise<void> => {
    const { response } = begun.get(name)!;
    response.end();
    if (!response.closed) await once(response, 'close');
    await settle();
  };
  const get = (name: string) => fetch(new URL(name, url));
  return { places, begun, names, errors, connect, end, get };
}

/** Whatever can begin has begun. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
}

const numbered = (organization: string, count: number) => Array.from({ length: count }, (_, at) => organization + at);

test('one organization with more than 16 requests under way does not hold another one up', async () => {
  const { names, connect, end } = await serve();
  for (const name of numbered('a', 20)) await connect(name);
  expect(names()).toEqual(numbered('a', 16));
  for (const name of numbered('b', 20)) await connect(name);
  expect(names()).toEqual([...numbered('a', 16), ...numbered('b', 16)]);
  await connect('c0');
  expect(names()).toHaveLength(32);
  // Those of a and of b came first, and then it is the turn of c.
  for (const name of ['a0', 'b0', 'a1']) await end(name);
  expect(names().slice(32)).toEqual(['a16', 'b16', 'c0']);
});

test('one user runs six at once and another of the same organization goes on; the 101st that waits is refused', async () => {
  const { names, connect, end, get } = await serve({}, {}, { ofOneLane: 6 });
  for (const name of numbered('aa', 8)) await connect(name);
  for (const name of numbered('ab', 2)) await connect(name);
  expect(names()).toEqual([...numbered('aa', 6), 'ab0', 'ab1']);
  for (const name of numbered('aa', 106).slice(8)) await connect(name);
  const refused = await get('aa106');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  await connect('ab2');
  await end('aa0');
  expect(names().slice(8)).toEqual(['ab2', 'aa6']);
});

test('a user of many organizations has one lane at a time', async () => {
  const { begun, connect, end } = await serve({}, {}, {}, () => 'one user');
  for (const name of ['a0', 'b0', 'c0']) await connect(name);
  const lanes = () => [...begun.values()].map(({ lane }) => lane);
  expect(lanes()).toEqual(['a', 'a', 'a']);
  for (const name of ['a0', 'b0', 'c0']) await end(name);
  await connect('d0');
  expect(lanes().at(-1)).toBe('d');
});

test('a stranger waits in the turns of the network, and so does a caller whose organization cannot be looked up', async () => {
  const { names, begun, connect, end } = await serve({ atOnce: 1, ofOneLane: 1 });
  for (const name of ['-0', '-1', '!2', 'a0']) await connect(name);
  for (const name of ['-0', '-1', 'a0']) await end(name);
  expect(names()).toEqual(['-0', '-1', 'a0', '!2']);
  expect([...begun.values()].map(({ lane }) => lane)).toEqual(['203.0.113.7', '203.0.113.7', 'a', '203.0.113.7']);
});

const refusal = {
  errors: [
    {
      message: 'The service cannot take this request now. Try again later.',
      extensions: { code: 'UNAVAILABLE', retryAfterSeconds: 1 },
    },
  ],
};

test.each([
  ['waits too long', { atOnce: 1, patienceMillis: 50 }],
  ['comes when all places to wait are taken', { atOnce: 1, longestQueue: 0 }],
])('a request that %s is HTTP 503 with Retry-After and UNAVAILABLE, and never begins', async (_, bounds) => {
  const { names, errors, connect, end, get } = await serve(bounds);
  await connect('a0');
  const response = await get('b0');
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await response.json()).toEqual(refusal);
  expect(errors).toEqual(['UNAVAILABLE']);
  await end('a0');
  await connect('b1');
  expect(names()).toEqual(['a0', 'b1']);
});

test('a request of another organization takes the place to wait of the latest of the one that waits with most', async () => {
  const { names, connect, end, get } = await serve({ atOnce: 1, longestQueue: 3 });
  for (const name of ['a0', 'a1', 'a2']) await connect(name);
  const latest = get('a3');
  await pause(50);
  await connect('b0');
  expect((await latest).status).toBe(503);
  for (const name of ['a0', 'a1', 'b0']) await end(name);
  expect(names()).toEqual(['a0', 'a1', 'b0', 'a2']);
});

test('a client that goes away while it runs gives its place back', async () => {
  const { names, connect } = await serve({ atOnce: 1 });
  const client = await connect('a0');
  await connect('b0');
  client.destroy();
  while (names().length < 2) await pause(1);
  expect(names()).toEqual(['a0', 'b0']);
});

test('a request whose client goes away while it waits never begins', async () => {
  const { names, connect, end } = await serve({ atOnce: 1 });
  await connect('a0');
  (await connect('a1')).destroy();
  await connect('a2');
  await pause(50);
  await end('a0');
  expect(names()).toEqual(['a0', 'a2']);
});

test('requests behind others on one connection give their places back, too, when their client goes', async () => {
  const { names, connect } = await serve({ atOnce: 3 });
  const client = await connect('a0', 'a1', 'a2', 'a3');
  expect(names()).toEqual(['a0', 'a1', 'a2']);
  for (const name of numbered('b', 3)) await connect(name);
  client.destroy();
  while (names().length < 6) await pause(1);
  expect(names()).toEqual(['a0', 'a1', 'a2', 'b0', 'b1', 'b2']);
});

test('a place is kept until the response has been taken', async () => {
  const { names, begun, connect } = await serve({ atOnce: 1 });
  const client = (await connect('a0')).pause();
  await connect('b0');
  const { response } = begun.get('a0')!;
  response.end(Buffer.alloc(32 * 1024 * 1024));
  await pause(50);
  expect([response.writableEnded, names()]).toEqual([true, ['a0']]);
  client.resume();
  await once(response, 'close');
  await settle();
  expect(names()).toEqual(['a0', 'b0']);
});

test('large requests wait for the end of others, beside their places', async () => {
  const { names, places, begun, connect, end } = await serve({}, { atOnce: 1 });
  for (const name of ['a0', 'a1', 'b0']) await connect(name);
  const large: string[] = [];
  const becomesLarge = async (name: string): Promise<void> => {
    await untilTurn(places.large, begun.get(name)!.request);
    large.push(name);
  };
  const all = [becomesLarge('a0'), becomesLarge('a1'), becomesLarge('b0')];
  await settle();
  expect(large).toEqual(['a0']);
  await connect('c0');
  expect(names()).toContain('c0');
  for (const name of ['a0', 'a1', 'b0']) await end(name);
  await Promise.all(all);
  expect(large).toEqual(['a0', 'a1', 'b0']);
});

test('a large request that waits too long is refused, and one whose client has gone keeps no turn', async () => {
  const { places, begun, connect, end } = await serve({}, { atOnce: 1, patienceMillis: 50 });
  const client = await connect('a0', 'a1');
  for (const name of ['b0', 'b1']) await connect(name);
  const turn = (name: string) => untilTurn(places.large, begun.get(name)!.request);
  await turn('b0');
  await expect(turn('b1')).rejects.toMatchObject({ code: 'unavailable' });
  client.destroy();
  await once(begun.get('a1')!.response, 'close');
  await end('b0');
  for (const name of ['a1', 'a0', 'b1']) await turn(name);
});
