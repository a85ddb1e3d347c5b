// A listener while it is busy, and while it drains: requests under way get their response, connections then close by themselves,
// and nothing waits for the grace time.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  Agent,
  createServer,
  get,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, createConnection, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  limitSlowReaders,
  listen,
  type Listener,
  type SlowReaderLimits,
} from '../../src/platform/httpServer/httpServer.ts';
import { sendRaw } from '../support/rawRequests.ts';

describe('httpServer', () => {
  /** Far longer than a test may take: a drain that waits for it fails. */
  const graceMillis = 600_000;
  const agent = new Agent({ keepAlive: true });
  const listeners: Listener[] = [];
  afterEach(async () => {
    agent.destroy();
    await Promise.all(listeners.splice(0).map((listener) => listener.drain(0)));
  });

  async function listenFor(handle: RequestListener, host = '127.0.0.1'): Promise<Listener> {
    const listener = await listen(handle, { port: 0, host });
    listeners.push(listener);
    return listener;
  }

  /** A listener that responds on demand, and a request whose handler has begun, or whose response has begun. */
  async function requestUnderWay(begin: (response: ServerResponse) => void = () => undefined): Promise<{
    listener: Listener;
    finish: () => void;
    result: Promise<IncomingMessage>;
  }> {
    let begun: (response: ServerResponse) => void;
    const handling = new Promise<ServerResponse>((resolve) => (begun = resolve));
    const listener = await listenFor((_, response) => begun(response));
    const result = new Promise<IncomingMessage>((resolve, reject) => {
      get(listener.url, { agent }, (message) => resolve(message.resume())).on('error', reject);
    });
    const response = await handling;
    begin(response);
    return { listener, finish: () => response.end('{}'), result };
  }

  test('a request under way gets its whole response, and is told that its connection closes', async () => {
    const { listener, finish, result: outcome } = await requestUnderWay();
    const drained = listener.drain(1_000);
    finish();
    expect(await outcome).toMatchObject({ statusCode: 200, headers: { connection: 'close' } });
    await drained;
  });

  test('the drain ends with the last response, although clients keep their connections', async () => {
    const { listener, finish, result: outcome } = await requestUnderWay();
    const drained = listener.drain(graceMillis);
    finish();
    await outcome;
    await drained;
  });

  test('an idle connection does not hold the drain up', async () => {
    const { listener, finish, result: outcome } = await requestUnderWay();
    finish();
    await outcome;
    await listener.drain(graceMillis);
  });

  test('nothing new is accepted', async () => {
    const { listener, finish, result: outcome } = await requestUnderWay();
    const drained = listener.drain(1_000);
    await expect(fetch(listener.url)).rejects.toThrow();
    finish();
    await Promise.all([outcome, drained]);
  });

  test('what is not served by the end of the grace time is cut', async () => {
    const { listener, result: outcome } = await requestUnderWay();
    await Promise.all([listener.drain(50), expect(outcome).rejects.toThrow(/hang up|ECONNRESET/)]);
  });

  test('a response that has begun is finished, and its connection does not hold the drain up', async () => {
    const { listener, finish, result: outcome } = await requestUnderWay((response) => response.flushHeaders());
    await outcome;
    const drained = listener.drain(graceMillis);
    finish();
    await drained;
  });

  test('a response that was given and is still on its way to its client gets there', async () => {
    const length = 16 * 1024 * 1024;
    const listener = await listenFor((_, response) => void setImmediate(() => response.end(Buffer.alloc(length))));
    const result = await new Promise<IncomingMessage>((resolve) => get(listener.url, { agent }, resolve));
    const drained = listener.drain(graceMillis);
    let bytes = 0;
    for await (const chunk of result) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(length);
    await drained;
  });

  test('a sender that connects and says nothing is cut as well', async () => {
    const listener = await listenFor(() => undefined);
    const { hostname, port } = new URL(listener.url);
    const socket = createConnection(Number(port), hostname);
    await new Promise((resolve) => socket.once('connect', resolve));
    const closed = new Promise((resolve) => socket.on('close', resolve));
    await Promise.all([listener.drain(50), closed]);
  });

  test('an expectation that nobody knows is ignored', async () => {
    const { url } = await listenFor(({ method }, response) => response.end(method));
    const [result] = (await sendRaw(url, 'GET / HTTP/1.1\r\nHost: x\r\nExpect: foo\r\n\r\n')).results;
    expect(result).toMatchObject({ status: 200, body: 'GET' });
  });

  const getOf = (path = '/') => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

  /** All that comes until the server closes. The second request is sent when the first has its response. */
  async function inTwoSteps(url: string, first: string, second: string): Promise<string> {
    const { hostname, port } = new URL(url);
    const socket = createConnection(Number(port), hostname).setEncoding('latin1');
    let received = '';
    socket.on('data', (text: string) => (received += text));
    socket.write(first);
    await once(socket, 'data');
    socket.write(second);
    await once(socket, 'close');
    return received;
  }

  const notFound = { status: 404, body: '{"detail":"Not Found"}' };
  const unreadable = [
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', notFound],
    ['a method that Node does not know', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n', notFound],
    ['a broken request line', 'GET / FTP/1.1\r\n\r\n', { status: 400, body: '' }],
    ['a broken header', 'GET / HTTP/1.1\r\nno header\r\n\r\n', { status: 400, body: '' }],
    ['too long a header', `GET / HTTP/1.1\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, { status: 400, body: '' }],
  ] as const;

  test.each(unreadable)('%s is refused with a Date, and nothing after it is read', async (_, request, expected) => {
    const handed: string[] = [];
    const { url } = await listenFor(({ url }, response) => (handed.push(url!), response.end('handled')));
    const { results: outcomes, closed } = await sendRaw(url, request + getOf());
    expect([outcomes, closed]).toEqual([[{ ...expected, head: expect.any(String) as string }], true]);
    expect(outcomes[0]!.head).toMatch(/\r\nDate: \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT\r\n/);
    expect(outcomes[0]!.head).toMatch(/\r\nConnection: close(\r\n|$)/);
    const ofBody =
      /\r\nContent-Type: application\/json\r\n[^]*\r\nX-Content-Type-Options: nosniff\r\nX-Request-Id: [\w-]{36}\r\n/;
    if (expected === notFound) expect(outcomes[0]!.head).toMatch(ofBody);
    expect(handed).toEqual([]);
  });

  test.each(unreadable)('%s is refused too behind requests that have their response', async (_, request, expected) => {
    const { url } = await listenFor((_, response) => response.end('a'));
    const received = await inTwoSteps(url, getOf('/'), request);
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', `HTTP/1.1 ${expected.status}`]);
    expect(received.endsWith(`\r\n\r\n${expected.body}`)).toBe(true);
  });

  test.each(unreadable)('%s gets no response before that of an earlier request', async (_, request) => {
    const begun: ServerResponse[] = [];
    const { url } = await listenFor((_, response) => void begun.push(response));
    const sent = sendRaw(url, getOf() + getOf(), request);
    while (begun.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    // The work of the earlier ones goes on, and nobody can take another response for theirs.
    for (const response of begun) response.end('earlier');
    const { results: outcomes, closed } = await sent;
    const own = outcomes.filter(({ body }) => body === 'earlier');
    // CONNECT ends the connection at once.
    expect([outcomes.length, closed]).toEqual([own.length, true]);
    if (!request.startsWith('CONNECT')) expect(own).toHaveLength(2);
  });

  const chunked = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';

  test.each([
    { what: 'has no response yet gets 400', before: '', begins: false, expected: ['HTTP/1.1 400'] },
    { what: 'has begun its response gets no second one', before: '', begins: true, expected: ['HTTP/1.1 200'] },
    { what: 'waits for an earlier response gets none', before: getOf('/'), begins: false, expected: [] },
  ])('a request whose body breaks and that $what', async ({ before, begins, expected }) => {
    const { url } = await listenFor(({ method }, response) => void (method === 'POST' && begins && response.end('a')));
    const received: string[] = [];
    const { hostname, port } = new URL(url);
    const socket = createConnection(Number(port), hostname)
      .setEncoding('latin1')
      .on('error', () => undefined);
    socket.on('data', (text: string) => void received.push(text));
    socket.write(before + chunked);
    await pause(50);
    socket.write('zz\r\n');
    await once(socket, 'close');
    expect(received.join('').match(/HTTP\/1\.1 \d+/g) ?? []).toEqual(expected);
  });

  test('bytes behind a request that closes its connection are not read, and its response comes', async () => {
    const { url } = await listenFor((_, response) => void setTimeout(() => response.end('late'), 50));
    const last = getOf('/').replace('Host: x', 'Host: x\r\nConnection: close');
    const { results: outcomes, closed } = await sendRaw(url, getOf('/') + last + getOf('/'), getOf('/'));
    expect([outcomes.map(({ body }) => body), closed]).toEqual([['late', 'late'], true]);
  });

  test.each(unreadable)('%s leaves nothing to a drain, although the client keeps its side open', async (_, request) => {
    const listener = await listenFor((_, response) => response.end());
    const { hostname, port } = new URL(listener.url);
    const client = createConnection({ host: hostname, port: Number(port), allowHalfOpen: true });
    client.on('error', () => undefined).resume();
    client.write(request);
    await once(client, 'end');
    await listener.drain(graceMillis);
    client.destroy();
  });

  test.each([
    ['has sent three requests', ''],
    ['is cut for CONNECT', 'CONNECT b:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('a client that %s and goes is noticed by every response that it waited for', async (_, last) => {
    const begun: ServerResponse[] = [];
    const listener = await listenFor((_, response) => void begun.push(response));
    const { hostname, port } = new URL(listener.url);
    const socket = createConnection(Number(port), hostname, () => {
      socket.write(getOf() + getOf() + getOf());
    });
    socket.on('error', () => undefined);
    while (begun.length < 3) await pause(5);
    const closed = begun.map((response) => new Promise((resolve) => response.on('close', resolve)));
    if (last) socket.write(last);
    else socket.resetAndDestroy();
    await Promise.all(closed);
    expect(begun).toHaveLength(3);
  });

  test('a port that is taken is an error, not a hang', async () => {
    const listener = await listenFor(() => undefined);
    const port = Number(new URL(listener.url).port);
    await expect(listen(() => undefined, { port, host: '127.0.0.1' })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test('an IPv6 address is written as a URL', async () => {
    const listener = await listenFor((_, response) => response.end(), '::1');
    expect(listener.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await fetch(listener.url)).status).toBe(200);
  });

  test('more connections than Node lets wait by itself are made while the process is busy', async () => {
    const { url } = await listenFor((_, response) => response.end());
    const client = `
    const { connect } = require('node:net');
    let made = 0;
    for (let i = 0; i < 900; i++) connect(${new URL(url).port}, '127.0.0.1', () => ++made === 900 && process.exit(0));
    setTimeout(() => (console.error(made + ' connections of 900'), process.exit(1)), 10_000);
  `;
    // This process accepts no connection before the call returns.
    execFileSync(process.execPath, ['-e', client]);
  });
});

// A listener's limits on its connections and its responses to a breach: bytes, headers, idle time, the end of all connections.
describe('httpServer.connections', () => {
  const listeners: Listener[] = [];
  afterEach(() => Promise.all(listeners.splice(0).map((listener) => listener.drain(0))));

  async function listenFor(handle: RequestListener): Promise<Listener> {
    const listener = await listen(handle, { port: 0, host: '127.0.0.1' });
    listeners.push(listener);
    return listener;
  }

  function connectTo({ url }: Listener): Socket {
    const { hostname, port } = new URL(url);
    return createConnection(Number(port), hostname).on('error', () => undefined);
  }

  const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

  test('however many requests wait on a connection, its end is listened for once, and each response hears of it once', async () => {
    const begun: ServerResponse[] = [];
    const client = connectTo(await listenFor((_, response) => void begun.push(response)));
    const ask = async (count: number): Promise<number> => {
      client.write(get.repeat(count - begun.length));
      while (begun.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
      return begun[0]!.req.socket.listenerCount('close');
    };
    expect(await ask(2)).toBe(await ask(16));
    let closed = 0;
    for (const response of begun) response.on('close', () => (closed += 1));
    client.destroy();
    await once(begun[0]!.req.socket, 'close');
    expect(closed).toBe(16);
  });

  test('no header is dropped, however many come before it', async () => {
    const { url } = await listenFor(({ headers }, response) => response.end(headers['x-signature']));
    const many = Array.from({ length: 2_500 }, (_, at) => `${at}:\r\n`).join('');
    const { results: outcomes } = await sendRaw(url, `GET / HTTP/1.1\r\nHost: x\r\n${many}X-Signature: kept\r\n\r\n`);
    expect(outcomes).toMatchObject([{ status: 200, body: 'kept' }]);
  });

  test('an idle connection is kept for 65 s, longer than a proxy before it keeps one (docs/operating/deploy.md)', async () => {
    const { url } = await listenFor((_, response) => response.end());
    expect((await fetch(url)).headers.get('Keep-Alive')).toBe('timeout=65');
  });

  test('a request that comes while others are waited for gets a response, and is told that its connection closes', async () => {
    const listener = await listenFor((_, response) => response.end());
    const socket = connectTo(listener);
    const heads: string[] = [];
    socket.setEncoding('latin1').on('data', (text: string) => void heads.push(text));
    const half = Math.floor(get.length / 2);
    socket.write(get + get.slice(0, half));
    await once(socket, 'data');
    const drained = listener.drain(600_000);
    socket.write(get.slice(half));
    await drained;
    await once(socket, 'close');
    expect(heads.map((head) => /^HTTP\/1.1 (\d+) .*\r\nConnection: ([\w-]+)\r\n/s.exec(head)?.slice(1))).toEqual([
      ['200', 'keep-alive'],
      ['200', 'close'],
    ]);
  });

  test('a drain that waits for one long response after the other ends with the last, whoever is idle beside them', async () => {
    const long: ServerResponse[] = [];
    const listener = await listenFor((request, response) => {
      if (request.url === '/') return void response.end();
      long.push(response);
      setImmediate(() => response.end(Buffer.alloc(16 * 1024 * 1024)));
    });
    const ask = async (client: Socket, request: string): Promise<void> => {
      client.resume().write(request);
      await once(client, 'data');
      client.pause();
    };
    const [first, second, idle] = [connectTo(listener), connectTo(listener), connectTo(listener)];
    for (const client of [first, second, idle]) await ask(client, get);
    await ask(first, get.replace('/', '/long'));
    const drained = listener.drain(600_000);
    await ask(second, get.replace('/', '/long'));
    for (const [at, client] of [first, second].entries()) {
      client.resume();
      await once(long[at]!, 'close');
    }
    await drained;
  });

  test('a request that is not whole in time gets 408, where no earlier one waits for its response', async () => {
    const listener = await listenFor(() => undefined);
    const [slow, waiting] = [connectTo(listener), connectTo(listener)].map((client) => {
      const received: string[] = [];
      client.setEncoding('latin1').on('data', (text: string) => void received.push(text));
      return { client, received, closed: once(client, 'close') };
    });
    slow!.client.write(get.slice(0, 20));
    waiting!.client.write(get + get.slice(0, 20));
    // Ten seconds: Node gives no other clock for its timeouts.
    await Promise.all([slow!.closed, waiting!.closed]);
    expect(slow!.received.join('')).toMatch(
      /^HTTP\/1\.1 408 Request Timeout\r\nDate: [^]*\r\nContent-Length: 0\r\n\r\n$/,
    );
    expect(waiting!.received).toEqual([]);
  });
});

// Responses that no client reads: the oldest are cut to make room for later ones, and each has a time limit.
describe('slowReaders', () => {
  const result = Buffer.alloc(8 * 1024 * 1024);
  let server: Server | undefined;
  const sockets: Socket[] = [];
  /** Of the server, in the order in which clients connected. */
  const accepted: Socket[] = [];
  afterEach(async () => {
    for (const socket of [...sockets.splice(0), ...accepted.splice(0)]) socket.destroy();
    await new Promise((resolve) => server!.close(resolve));
  });

  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await pause(5);
  }

  /** A server whose responses are larger than the kernel's buffers, and a client that sends requests and reads nothing. */
  async function serve(bounds: SlowReaderLimits): Promise<(requests: number) => Promise<Socket>> {
    const watch = limitSlowReaders(bounds);
    let served = 0;
    server = createServer((_request, response) => {
      watch(response);
      response.end(result);
      served += 1;
    }).on('connection', (socket: Socket) => void accepted.push(socket));
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return async (requests) => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      sockets.push(socket);
      const all = served + requests;
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(requests));
      await until(() => served === all);
      return socket;
    };
  }

  /** Whether a client that reads from now on receives so many whole responses before its connection ends. */
  async function getsWhole(socket: Socket, responses: number): Promise<boolean> {
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length));
    const isWhole = (): boolean => bytes > responses * result.length;
    await until(() => isWhole() || socket.closed);
    return isWhole();
  }

  test('beyond their bound together, those that have waited longest are cut', async () => {
    const ask = await serve({ bytes: 3.5 * result.length, millis: 60_000 });
    const [first, second, third] = [await ask(1), await ask(1), await ask(2)];
    expect([await getsWhole(first, 1), await getsWhole(second, 1), await getsWhole(third, 2)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('a response that is not taken in time is cut, and one that is taken is not', async () => {
    const ask = await serve({ bytes: Infinity, millis: 3_000 });
    const [taken, left] = [await ask(1), await ask(1)];
    expect(await getsWhole(taken, 1)).toBe(true);
    // The time of the one that was taken ends before it.
    await until(() => accepted[1]!.destroyed);
    expect(taken.destroyed).toBe(false);
    expect(await getsWhole(left, 1)).toBe(false);
  });

  describe('a response that waits behind another one of its connection', () => {
    const length = 1_000_000;
    /** There is room for two responses, but not for a third. */
    const bytes = 2.5 * length;

    interface Asked {
      client: Socket;
      first: ServerResponse;
      second: ServerResponse;
      isCut(): boolean;
    }

    /** A client with two requests: the test ends the first response, and also the second if it has no length. */
    async function serveTwo(): Promise<(length?: number) => Promise<Asked>> {
      const watch = limitSlowReaders({ bytes, millis: 60_000 });
      let begun: ServerResponse[] = [];
      server = createServer((request, response) => {
        watch(response);
        begun.push(response);
        // httpServer.ts does the same.
        request.socket.once('close', () => response.emit('close'));
        const asked = Number(request.url!.slice(1));
        if (asked > 0) response.end(Buffer.alloc(asked));
        if (begun.length === 2) server!.emit('asked');
      });
      await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      return async (length = 0) => {
        begun = [];
        const both = once(server!, 'asked');
        const client = connect(port, '127.0.0.1').on('error', () => undefined);
        sockets.push(client);
        client.write(['/', `/${length}`].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
        await both;
        const [first, second] = begun as [ServerResponse, ServerResponse];
        return { client, first, second, isCut: () => first.req.socket.destroyed };
      };
    }
    const cutOf = (asked: Asked[]): boolean[] => asked.map(({ isCut }) => isCut());

    test('counts once, also where it was cut', async () => {
      const ask = await serveTwo();
      const asked = [await ask(length), await ask(length), await ask(length)];
      await once(asked[0]!.client, 'close');
      asked.push(await ask(length));
      expect(cutOf(asked)).toEqual([true, true, false, false]);
    });

    test('counts from 64 KiB on', async () => {
      const ask = await serveTwo();
      const asked: Asked[] = [];
      while (asked.length < 40) asked.push(await ask(64 * 1024));
      expect(cutOf(asked)).toEqual([true, true, ...Array<boolean>(38).fill(false)]);
    });

    test('is cut with others where one alone makes too little room', async () => {
      const ask = await serveTwo();
      const asked = [await ask(length), await ask(length), await ask(2 * length)];
      expect(cutOf(asked)).toEqual([true, true, false]);
    });

    test('counts no more once it is taken, and those before it do', async () => {
      const ask = await serveTwo();
      const [oldest, taken] = [await ask(length), await ask(length)];
      taken.client.resume();
      taken.first.end();
      await once(taken.second, 'close');
      const asked = [oldest, taken, await ask(length)];
      expect(cutOf(asked)).toEqual([false, false, false]);
      asked.push(await ask(length));
      expect(cutOf(asked)).toEqual([true, false, false, false]);
    });

    test('counts for nothing where its client had gone before it was given', async () => {
      const ask = await serveTwo();
      const [oldest, gone] = [await ask(length), await ask()];
      gone.client.destroy();
      await once(gone.first, 'close');
      expect(gone.second.end(Buffer.alloc(length))).toBe(gone.second);
      expect(cutOf([oldest, await ask(length)])).toEqual([false, false]);
    });
  });
});
