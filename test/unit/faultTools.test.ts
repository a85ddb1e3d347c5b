// The proxy of test/faults must affect a connection exactly as each fault's description says.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { DeviceStates } from '../faults/support/deviceStates.ts';
import { startTcpProxy, type TcpProxy } from '../faults/support/tcpProxy.ts';
import { selectorsOf } from '../support/promql.ts';
import { checkSignatures, type SignatureCheck } from '../support/publicSignatures.ts';
import { aDevice, aReport } from '../support/uploads.ts';

describe('tcpProxy', () => {
  /** Responds to each piece with the same text in capitals, and ends when its client ends. */
  let server: Server;
  let proxy: TcpProxy;
  const accepted: Socket[] = [];
  const clients: Socket[] = [];

  beforeEach(async () => {
    server = createServer((socket) => {
      accepted.push(socket);
      socket.on('data', (chunk: Buffer) => socket.write(chunk.toString().toUpperCase()));
      socket.on('error', () => undefined);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    proxy = await startTcpProxy(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  afterEach(async () => {
    for (const socket of [...clients.splice(0), ...accepted.splice(0)]) socket.destroy();
    await proxy.close();
    server.close();
  });

  interface Client {
    socket: Socket;
    received: () => string;
    closed: () => boolean;
  }

  async function newClient(): Promise<Client> {
    const socket = connect(proxy.port, '127.0.0.1');
    clients.push(socket);
    const state = { received: '', closed: false };
    socket.on('data', (chunk: Buffer) => void (state.received += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => void (state.closed = true));
    await once(socket, 'connect');
    return { socket, received: () => state.received, closed: () => state.closed };
  }

  /** What was written is read by the other end, in this process: also where a timer is late, the loop looks at the sockets after it. */
  async function arrival(): Promise<void> {
    await pause(50);
    for (let turn = 0; turn < 2; turn++) await nextTurn();
  }

  async function until(condition: () => boolean): Promise<void> {
    for (const end = Date.now() + 10_000; !condition(); await pause(2))
      if (Date.now() > end) throw new Error('in vain');
  }

  test('forwards in both directions, and hands the end of a connection on', async () => {
    const client = await newClient();
    client.socket.write('hello');
    await until(() => client.received() === 'HELLO');
    client.socket.end();
    await until(() => client.closed() && accepted[0]!.closed);
  });

  test('a server that hangs up is heard by the client', async () => {
    const client = await newClient();
    client.socket.write('a');
    await until(() => client.received() === 'A');
    accepted[0]!.resetAndDestroy();
    await until(() => client.closed());
  });

  test('stands in the server’s place in a URL', () => {
    const url = 'postgresql://user:secret@localhost:5432/name?sslmode=disable';
    expect(proxy.through(url)).toBe(`postgresql://user:secret@127.0.0.1:${proxy.port}/name?sslmode=disable`);
    expect(proxy.through('http://127.0.0.1:1')).toBe(`http://127.0.0.1:${proxy.port}`);
  });

  test('a delay counts in each direction, and a shorter one does not change the order', async () => {
    const client = await newClient();
    proxy.delay(150);
    const start = performance.now();
    client.socket.write('a');
    await arrival();
    proxy.delay(0);
    client.socket.write('b');
    await until(() => client.received().length === 2);
    expect(client.received()).toBe('AB');
    expect(performance.now() - start).toBeGreaterThan(145);
    proxy.delay(100);
    const again = performance.now();
    client.socket.write('c');
    await until(() => client.received() === 'ABC');
    expect(performance.now() - again).toBeGreaterThan(195);
  });

  test('what has met the silence stays silent on both sides, and new connections are served after it', async () => {
    const before = await newClient();
    before.socket.write('a');
    await until(() => before.received() === 'A');
    proxy.fallSilent();
    const during = await newClient();
    for (const { socket } of [before, during]) socket.write('b');
    before.socket.end();
    await arrival();
    proxy.restore();
    const after = await newClient();
    after.socket.write('c');
    await until(() => after.received() === 'C');
    during.socket.write('d');
    accepted[0]!.write('nobody hears this');
    await pause(50);
    expect([before.received(), during.received()]).toEqual(['A', '']);
    expect([before.closed(), during.closed()]).toEqual([false, false]);
    expect(accepted).toHaveLength(2);
    expect(accepted[0]!.readableEnded).toBe(false);
  });

  test('a reply that is to be lost is not delivered, also in two pieces, and its connection is cut on both sides', async () => {
    proxy.loseReplies('SECRET', 2);
    const [whole, pieces, other] = [await newClient(), await newClient(), await newClient()];
    whole.socket.write('the secret');
    await until(() => whole.closed());
    pieces.socket.write('sec');
    await until(() => pieces.received() === 'SEC');
    pieces.socket.write('ret');
    await until(() => pieces.closed() && accepted.filter(({ closed }) => closed).length === 2);
    other.socket.write('secret');
    await until(() => other.received() === 'SECRET');
    expect([whole.received(), pieces.received(), other.closed(), proxy.lost()]).toEqual(['', 'SEC', false, 2]);
  });
});

// The oracle of device states in the fault tests: it allows exactly the states that openapi.yaml, "User and device state", leaves open.
describe('deviceStates', () => {
  const second = 1_789_000_000;
  const device = aDevice('d');

  /** Times are in seconds after `second`; without `acknowledged` no 200 came. */
  interface Sent {
    signed: number;
    sent: number;
    acknowledged?: number;
  }

  /** Upload n is of user `n`. Responses the users that the oracle takes for right. */
  function allowed(uploads: Sent[]): string[] {
    const states = new DeviceStates();
    const at = (seconds: number) => jest.setSystemTime((second + seconds) * 1_000);
    const moments = uploads.flatMap(({ signed, sent, acknowledged }, index) => {
      const user = { id: String(index) };
      const [timestamp, nonce] = [second + signed, String(index)];
      const ends =
        acknowledged === undefined ? [] : [{ time: acknowledged, act: () => states.acknowledged('d', nonce) }];
      return [{ time: sent, act: () => states.sent(aReport({ user, device }), { timestamp, nonce }) }, ...ends];
    });
    for (const { time, act } of moments.sort((a, b) => a.time - b.time)) {
      at(time);
      act();
    }
    const isRight = (stored: Map<string, { userId: string; uploads: null }>) => states.problems(stored).length === 0;
    const users = uploads.map((_, index) => String(index));
    return [
      ...users.filter((userId) => isRight(new Map([['d', { userId, uploads: null }]]))),
      ...(isRight(new Map()) ? ['nothing'] : []),
    ];
  }

  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  test.each<[string, Sent[], string[]]>([
    [
      'an upload after the 200 of another',
      [
        { signed: 0, sent: 0.1, acknowledged: 0.2 },
        { signed: 0, sent: 0.2, acknowledged: 0.3 },
      ],
      ['1'],
    ],
    [
      'two that were under way together',
      [
        { signed: 0, sent: 0.1, acknowledged: 0.3 },
        { signed: 0, sent: 0.2, acknowledged: 0.4 },
      ],
      ['0', '1'],
    ],
    [
      'two of one second that both arrive after it',
      [
        { signed: 0, sent: 5, acknowledged: 6 },
        { signed: 0, sent: 6, acknowledged: 7 },
      ],
      ['1'],
    ],
    [
      'an earlier second that arrives later',
      [
        { signed: 9, sent: 9.1, acknowledged: 9.2 },
        { signed: 5, sent: 9.3, acknowledged: 9.4 },
      ],
      ['0'],
    ],
    [
      'a fast clock, then the right one',
      [
        { signed: 240, sent: 0.1, acknowledged: 0.2 },
        { signed: 0, sent: 0.3, acknowledged: 0.4 },
      ],
      ['1'],
    ],
    [
      'one without a response before another',
      [
        { signed: 0, sent: 0.1 },
        { signed: 0, sent: 0.3, acknowledged: 0.4 },
      ],
      ['0', '1'],
    ],
    [
      'one without a response of an earlier second',
      [
        { signed: 0, sent: 0.1 },
        { signed: 1, sent: 1.3, acknowledged: 1.4 },
      ],
      ['1'],
    ],
    [
      'one without a response after another',
      [
        { signed: 0, sent: 0.1, acknowledged: 0.2 },
        { signed: 0, sent: 0.3 },
      ],
      ['0', '1'],
    ],
    ['only one without a response', [{ signed: 0, sent: 0.1 }], ['0', 'nothing']],
  ])('%s', (_, uploads, users) => {
    expect(allowed(uploads)).toEqual(users);
  });

  test('a copy of one upload is not another one, and its first 200 counts', () => {
    const states = new DeviceStates();
    const [first, other] = ['a', 'b'].map((id) => aReport({ user: { id }, device }));
    const send = (report: typeof first, nonce: string, time: number) => {
      jest.setSystemTime((second + time) * 1_000);
      states.sent(report!, { timestamp: second, nonce });
      states.acknowledged('d', nonce);
    };
    send(first, '1', 0.1);
    send(other, '2', 0.2);
    send(first, '1', 0.3);
    expect(states.problems(new Map([['d', { userId: 'b', uploads: null }]]))).toEqual([]);
    expect(states.problems(new Map([['d', { userId: 'a', uploads: null }]]))).toHaveLength(1);
    expect(states.problems(new Map([['e', { userId: 'a', uploads: null }]]))).toHaveLength(2);
  });
});

// The parser of PromQL finds the selectors of an expression, and refuses what Prometheus would refuse.
describe('promql', () => {
  test('selectors are found with labels and function', () => {
    const expression =
      'histogram_quantile(0.99, sum by (le, a) (rate(x_bucket{a="b", c="d"}[5m]))) > 1 or (min(y) - 2) == 0';
    expect(selectorsOf(expression)).toEqual([
      { name: 'x_bucket', labels: { a: 'b', c: 'd' }, range: true, within: 'rate' },
      { name: 'y', labels: {}, range: false, within: null },
    ]);
  });

  test.each([
    'sum(rate(x[5m])',
    'rate(x) > 1',
    'x[5m] > 1',
    'sum by (le (x)',
    'sum(x) > ',
    'x{a=b}',
    'x{a="b"',
    'x y',
    'x > 1 |',
    'histogram_quantile(x)',
    '',
  ])('%s is refused', (expression) => {
    expect(() => selectorsOf(expression)).toThrow();
  });
});

// The search of exported signatures finds every `any` that a caller would meet, and no internal one.
describe('publicSignatures', () => {
  const found: [string, string][] = [
    ['export function send(body: any): void { void body; }', 'send(body)'],
    ['export async function parsed() { return JSON.parse("{}"); }', 'parsed()'],
    ['export interface Campaign { action: { payload: any } }', 'Campaign → action → payload'],
    ['export type Fields = Record<string, any>;', 'Fields[]'],
    ['export type Answer = { status: 200; data: string } | { status: 404; data: any[] };', 'Answer → data'],
    ['export type Result<T> = T extends true ? { given: any } : string;', 'Result → given'],
    ['export class Client { constructor(meta: { x?: any }) { void meta; } }', 'Client(meta) → x'],
    ['interface Hidden { later: () => { x: any } }\nexport const hidden = {} as Hidden;', 'hidden → later() → x'],
  ];
  const fine = `function inside(): any { return JSON.parse('{}'); }
  export async function ask(request: Request): Promise<Response> { inside(); return fetch(request); }
  export const count: number = 'one';`;

  let folder: string;
  let check: SignatureCheck;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-signatures-'));
    const compilerOptions = { strict: true, target: 'ES2023', lib: ['ES2023', 'DOM'], types: [], noEmit: true };
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));
    writeFileSync(path.join(folder, 'client.ts'), [...found.map(([text]) => text), fine].join('\n'));
    check = checkSignatures(path.join(folder, 'tsconfig.json'), ['client.ts']);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(found)('%s', (_, way) => {
    expect(check.anys).toContain(`client.ts ${way}`);
  });

  test('what stays inside, and what is the platform’s, is no matter', () => {
    expect(check.anys).toHaveLength(found.length);
  });

  test('what does not compile is told', () => {
    expect(check.errors).toEqual([expect.stringContaining("'string' is not assignable to type 'number'")]);
  });
});
