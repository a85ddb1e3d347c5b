// The ratios of a bench: over all rounds, and over the rounds in which the machine was quiet for both targets.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { openConnection } from '../bench/ingest/load/connection.ts';
import type { LoadPlan } from '../bench/ingest/load/plan.ts';
import { startLoad } from '../bench/ingest/load/startLoad.ts';
import type { Phase } from '../bench/ingest/measure/phase.ts';
import { patiently } from '../bench/ingest/measure/quiet.ts';
import { roundTables, summarize, table } from '../bench/ingest/report.ts';
import type { Series } from '../bench/ingest/rounds.ts';
import { shapes } from '../bench/ingest/shapes.ts';
import { uploadSource } from '../bench/ingest/uploads.ts';
import { eventually } from '../support/eventually.ts';

describe('benchReport', () => {
  function phase(eventsPerSecond: number, state: Partial<Pick<Phase, 'constantMicros' | 'otherCores'>> = {}): Phase {
    const cpuMicros = { target: 1, postgres: 1, load: 1 };
    const rates = { eventsPerSecond, uploadsPerSecond: 1, p50Millis: 1, p99Millis: 1 };
    return { ...rates, cpuMicros, constantMicros: 2, otherCores: 0, ...state };
  }

  function series(letter: string, signed: boolean | null, phases: Phase[]): Series {
    return { letter, name: letter, shape: '1x10', signed, phases };
  }

  function compared(service: Phase[], limit: Phase[]) {
    const [, summary] = summarize([series('P', true, service), series('C', null, limit)]);
    return summary!;
  }

  const slow = { constantMicros: 3 };

  test('a round counts as quiet only where nothing disturbed either of the two', () => {
    const summary = compared(
      [phase(10), phase(20), phase(30, slow), phase(40), phase(50, { otherCores: 0.5 })],
      [phase(100), phase(100), phase(100), phase(100, slow), phase(100)],
    );
    expect(summary).toMatchObject({ serviceRatio: 0.3, quiet: { rounds: 2, serviceRatio: 0.15 } });
    expect(table([summary])).toContain('| 0.15 (2) |');
  });

  test('the speed of each target is held against its own fastest phase', () => {
    const alike = compared([phase(10, slow), phase(10, slow)], [phase(100), phase(100)]);
    expect(alike.quiet.rounds).toBe(2);
    const faster = compared([phase(10, slow), phase(10)], [phase(100), phase(100)]);
    expect(faster.quiet.rounds).toBe(1);
  });

  test('no quiet round, no ratio', () => {
    const summary = compared([phase(10, { otherCores: 1 })], [phase(100)]);
    expect(summary).toMatchObject({ serviceRatio: 0.1, quiet: { rounds: 0, serviceRatio: null } });
  });

  test('rounds are shown with the speed of each of the two', () => {
    const [rounds] = roundTables([
      series('P', true, [phase(1_000), phase(700, slow)]),
      series('C', null, [phase(4_000), phase(3_500)]),
    ]);
    expect(rounds).toContain('|     2 |        700 |  0.67 |      3,500 |  1.00 | 0.20 |');
  });

  test('patience repeats a phase until it was quiet, and counts that one', async () => {
    const tries = [phase(1, slow), phase(2, { otherCores: 1 }), phase(3), phase(4)];
    const run = (attempt: number) => Promise.resolve(tries[attempt - 1]!);
    expect(await patiently(true, run, [phase(9)])).toBe(tries[2]);
    expect(await patiently(false, run, [phase(9)])).toBe(tries[0]);
  });

  test('patience ends', async () => {
    let attempts = 0;
    const run = () => Promise.resolve(phase(++attempts, { otherCores: 1 }));
    expect(await patiently(true, run, [])).toMatchObject({ eventsPerSecond: attempts });
    expect(attempts).toBe(20);
  });
});

// The uploads of a bench: the same for the same seed and name, and different in every phase.
describe('benchUploads', () => {
  const shapeOf = (name: string) => shapes.find((shape) => shape.name === name)!;

  function nonces(shape: string, name: string, count: number): string[] {
    const source = uploadSource(shapeOf(shape), { seed: 1, name });
    return Array.from({ length: count }, () => {
      source.next();
      return source.nonce();
    });
  }

  test('the same seed and name give the same uploads', () => {
    const uploads = () => uploadSource(shapeOf('1x10'), { seed: 3, name: 'again' });
    const [one, other] = [uploads(), uploads()];
    const ids = (source: typeof one) =>
      source.next().sessions.flatMap(({ id, events = [] }) => [id, ...events.map((event) => event.id)]);
    expect(ids(one)).toEqual(ids(other));
    expect(one.nonce()).toBe(other.nonce());
  });

  test('phases that met while ids and nonces came from a circle of 2³² numbers have none in common', () => {
    const first = new Set(nonces('1x1', '1x1-signed-4-1-lead-in', 17_000));
    const common = nonces('5x40', '5x40-signed-6-1', 700).filter((nonce) => first.has(nonce));
    expect(common).toEqual([]);
  });
});

// The load generator's connections: a connection that the server has closed, or is about to close, must not count as a lost upload.
describe('loadConnection', () => {
  const request = Buffer.from('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}');
  const server = createServer({ headersTimeout: 100, connectionsCheckingInterval: 10 }, (incoming, response) => {
    if (incoming.url === '/last') response.setHeader('Connection', 'close');
    incoming.resume().on('end', () => response.end('{}'));
  });
  let url: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test('a connection is usable, and again after its response', async () => {
    const connection = await openConnection(url);
    expect(connection.isUsable()).toBe(true);
    await expect(connection.send(request)).resolves.toEqual({ status: 200, retryAfter: false });
    expect(connection.isUsable()).toBe(true);
    connection.close();
  });

  test('one that the server closed for sending nothing is not, and what is sent on it is refused at once', async () => {
    const connection = await openConnection(url);
    await eventually(
      async () => connection.isUsable(),
      (usable) => !usable,
    );
    await expect(connection.send(request)).rejects.toThrow('the connection was closed');
  });

  test('nor is one whose response said that it is the last', async () => {
    const connection = await openConnection(url);
    await connection.send(Buffer.from(request.toString().replace('/', '/last')));
    expect(connection.isUsable()).toBe(false);
  });

  test('nor is one that was idle for so long that the server may be closing it', async () => {
    const connection = await openConnection(url);
    await connection.send(request);
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(now + 5_001);
    expect(connection.isUsable()).toBe(false);
    clock.mockRestore();
    connection.close();
  });
});

// wrk as the load generator of the bench, tested with a stand-in that prints its input, because wrk is rarely installed.
describe('wrkLoad', () => {
  const given = {
    sent: 3,
    withoutRetryAfter: 0,
    seconds: 1.5,
    p50Millis: 2,
    p99Millis: 4,
    slowestMillis: 5,
    cpuSeconds: 0.1,
  };
  const plan: LoadPlan = {
    urls: ['http://127.0.0.1:9'],
    key: { public: 'key', secret: 'secret' },
    shape: shapes[0]!,
    signed: true,
    connections: 2,
    seconds: 1,
    uploads: 3,
    cycle: false,
    seed: 1,
    name: 'wrk',
  };
  const path = process.env['PATH'];
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wrk-test-'));
    process.env['PATH'] = folder;
  });
  afterEach(async () => {
    process.env['PATH'] = path;
    await rm(folder, { recursive: true });
  });

  /** Prints as its result the number of requests in the prepared file less one that wrk never sends, and `given` for the rest. */
  async function installStandIn(): Promise<void> {
    const source = `#!${process.execPath}
    const { readFileSync } = require('node:fs');
    if (process.argv[2] === '-v') process.exit(1);
    const own = process.argv.slice(process.argv.indexOf('--') + 1);
    let found = 0;
    for (let rest = readFileSync(own[0]); rest.length > 0; found++) {
      const end = rest.indexOf(10);
      const length = Number(rest.subarray(0, end));
      if (!rest.subarray(end + 1).toString().startsWith('POST /api/v1/session ')) process.exit(2);
      rest = rest.subarray(end + 1 + length);
    }
    console.log('Running 1s test\\nRESULT ' + JSON.stringify({ ...${JSON.stringify(given)}, statuses: { 200: found - 1 } }));
  `;
    await writeFile(join(folder, 'wrk'), source);
    await chmod(join(folder, 'wrk'), 0o755);
  }

  test('it sends the prepared uploads, each behind its length, and reads what wrk found', async () => {
    await installStandIn();
    const load = startLoad('auto', { manyAddresses: false });
    expect(load.name).toBe('wrk');
    const prepared = await load.prepare(plan);
    await expect(prepared.run()).resolves.toEqual({
      ...given,
      due: 3,
      statuses: { 200: 3 },
      unserved: 0,
      acknowledged: null,
    });
    await load.stop();
  });

  test('an open loop prepares an upload for each due time', async () => {
    await installStandIn();
    const load = startLoad('auto', { manyAddresses: false });
    const prepared = await load.prepare({ ...plan, perSecond: 5, seconds: 2 });
    await expect(prepared.run()).resolves.toMatchObject({ due: 10, statuses: { 200: 10 } });
    await load.stop();
  });

  test('it refuses what wrk cannot do', async () => {
    await installStandIn();
    const load = startLoad('wrk', { manyAddresses: true });
    await expect(load.prepare({ ...plan, urls: [...plan.urls, ...plan.urls] })).rejects.toThrow('--load node');
    await load.stop();
  });

  test('asked for where it is not installed, it says so', () => {
    expect(() => startLoad('wrk', { manyAddresses: false })).toThrow('wrk is not installed');
  });
});
