// Loading the public contract: a rule that the edge would not enforce is refused at the start, with the operation's name.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { OpenAPIV3 } from 'openapi-types';
import type { Deps } from '../../src/deps.ts';
import { lastSegment, loadPublicContract } from '../../src/http/publicContract.ts';
import { RetryAfter } from '../../src/http/responses.ts';
import { operations } from '../../src/http/publicOperations.ts';
import { createPublicApi } from '../../src/http/publicApi.ts';
import { readBody } from '../../src/http/requestBody.ts';
import { isAppError } from '../../src/platform/errors.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { inProcess } from '../faults/fuzz/exchange.ts';
import { memoryDeps, memoryKey } from '../faults/fuzz/memoryDeps.ts';
import { soundContract } from '../faults/fuzz/memoryService.ts';
import { loadVectors, type PathVector, sdkVectors, vectorFiles } from '../tools/conformance/vectors.ts';

describe('contract', () => {
  type Parameter = Omit<OpenAPIV3.ParameterObject, 'schema'>;

  const folder = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-contract-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** A contract of one operation, getServerTime. */
  function load(
    parameters: Parameter[],
    { route = '/api/v1/time', handlers = ['getServerTime'], type = 'integer' } = {},
  ) {
    const schema = { type };
    const operation = {
      operationId: 'getServerTime',
      parameters: parameters.map((each) => ({ ...each, schema })),
      responses: { 200: { description: 'The time.' } },
    };
    const file = path.join(folder, 'openapi.yaml');
    const info = { title: 'One operation', version: '1' };
    writeFileSync(file, JSON.stringify({ openapi: '3.0.3', info, paths: { [route]: { get: operation } } }));
    return loadPublicContract(file, handlers);
  }

  const named = expect.stringContaining('getServerTime') as string;

  test('an operation without a handler', async () => {
    await expect(load([], { handlers: ['getCampaigns'] })).rejects.toMatchObject({ message: named });
  });

  test('a parameter in the path, but for its last segment', async () => {
    const zone = { name: 'zone', in: 'path', required: true };
    const route = '/api/v1/{zone}/time';
    await expect(load([zone], { route })).rejects.toMatchObject({ message: named });
    await expect(load([zone], { route })).rejects.toThrow(route);
    await expect(load([zone], { route: '/api/v1/times/{zone}{day}' })).rejects.toMatchObject({ message: named });
    const { match } = await load([zone], { route: '/api/v1/times/{zone}' });
    expect(match('GET', '/api/v1/times/UTC?a=/b')).toBeDefined();
    expect(lastSegment('/api/v1/times/UTC?a=/b')).toBe('UTC');
    for (const path of ['/api/v1/times', '/api/v1/times/', '/api/v1/times/UTC/', '/api/v1/times/a/b', '/UTC'])
      expect(match('GET', path)).toBeUndefined();
  });

  test.each(['header', 'cookie'])('a required parameter in a %s', async (place) => {
    const asked = { name: 'X-Zone', in: place, required: true };
    await expect(load([asked])).rejects.toMatchObject({ message: named });
    await expect(load([asked])).rejects.toThrow(`${place} parameter X-Zone`);
  });

  test('a header that is not required, or that the edge reads, is none of it', async () => {
    const zone = { name: 'X-Zone', in: 'header' };
    const signed = ['X-Timestamp', 'X-NONCE', 'X-Signature'].map((name) => ({ name, in: 'header', required: true }));
    const contract = await load([zone, ...signed]);
    expect(contract.match('GET', '/api/v1/time')?.id).toBe('getServerTime');
  });

  test('a required parameter of the query is missed, and another one is not', async () => {
    const query = [
      { name: 'zone', in: 'query', required: true },
      { name: 'day', in: 'query' },
    ];
    const { readQuery } = (await load(query)).match('GET', '/api/v1/time')!;
    expect(readQuery('/api/v1/time')).toEqual({ query: {}, fields: [{ path: 'zone', message: 'is required' }] });
    expect(readQuery('/api/v1/time?zone=2')).toEqual({ query: { zone: 2 }, fields: [] });
  });

  test.each(['boolean', 'number', 'array'])('a parameter of the query whose type is %s', async (type) => {
    const day = { name: 'day', in: 'query' };
    await expect(load([day], { type })).rejects.toMatchObject({ message: named });
    await expect(load([day], { type })).rejects.toThrow('query parameter day');
    await expect(load([day], { type: 'string' })).resolves.toBeDefined();
  });
});

// Runs the test vectors for SDK teams against the reference SDK and against the service.
describe('vectors', () => {
  test.each(sdkVectors())('$file: $name', ({ expected, result: outcome }) => {
    expect(outcome()).toEqual(expected);
  });

  describe('paths', () => {
    const alone = { limiter: <Result>(work: () => Promise<Result>) => work(), assertAwaited: () => undefined };
    const routes = { reportSessions: 'session', reportAttribution: 'attribution', reportStoreTransactions: 'tm/store' };
    const contract = loadPublicContract(projectFile('openapi.yaml'), Object.keys(operations));
    test.each(loadVectors<PathVector>('paths.json').vectors)('$name', async ({ operation, body, paths }) => {
      const { body: schema } = (await contract).match('POST', `/api/v1/${routes[operation]}`)!;
      const bytes = Buffer.from(body);
      const found = await readBody(schema!, { ...alone, bytes, encoding: 'identity', onValue: () => undefined }).then(
        () => [],
        (error: unknown) => {
          if (!isAppError(error, 'validation_failed')) throw error;
          return error.details.fields.map(({ path }) => path).sort();
        },
      );
      expect(found).toEqual(paths);
    });
  });

  test('each file says what it is, and no two vectors of it bear one name', () => {
    const files = vectorFiles();
    expect(files.length).toBe(10);
    for (const file of files) {
      const { description, vectors } = loadVectors(file);
      expect(description.length).toBeGreaterThan(40);
      expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length);
    }
  });
});

// A response that misses its time limit is logged without its content.
describe('lateResponses', () => {
  function logged() {
    const lines: Record<string, unknown>[] = [];
    // At this level a failure that repeats is written each time.
    const log = createLog('debug', {
      write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
    });
    return { lines, log };
  }

  test('the public API logs the operation of a response that is late', async () => {
    const { lines, log } = logged();
    const never = { find: () => new Promise<never>(() => undefined) };
    const deps = { ...memoryDeps(), log, applications: never, respondWithinMillis: 20 } as unknown as Deps;
    const api = createPublicApi(await soundContract(), deps);
    const exchange = inProcess((request: IncomingMessage, response: ServerResponse) => void api(request, response));
    const headers = { 'x-api-key': memoryKey.public };
    const target = '/api/v1/campaigns';
    const { status } = await exchange({ method: 'GET', target, headers, body: Buffer.alloc(0) });
    expect(status).toBe(503);
    expect(lines).toEqual([
      expect.objectContaining({ level: 'warn', msg: 'a response took too long', operation: 'getCampaigns' }),
    ]);
    expect(lines[0]!.millis).toBeGreaterThanOrEqual(19);
    expect(JSON.stringify(lines)).not.toContain(memoryKey.public);
  });
});

// `Retry-After` of a 503: openapi.yaml, "Backoff".
describe('retryAfter', () => {
  /** `random` 0.5 leaves the spread out. */
  function newClock(random = 0.5) {
    const clock = { millis: 0 };
    const retryAfter = new RetryAfter({ uptime: () => clock.millis, random: () => random });
    /** Sends so many requests evenly within a second, of which it refuses a share, and returns the last wait. */
    const second = (requests: number, share: number): number => {
      let wait = 0;
      for (let sent = 0; sent < requests; sent++) {
        clock.millis += 1_000 / requests;
        const isRefused = Math.floor((sent + 1) * share) > Math.floor(sent * share);
        if (isRefused) wait = retryAfter.refuse();
        else retryAfter.noteTaken();
      }
      return wait;
    };
    const seconds = (count: number, requests: number, share: number): number =>
      Array.from({ length: count }, () => second(requests, share)).at(-1)!;
    return { clock, retryAfter, seconds };
  }

  test('the first refusal, and one of a few requests, is 1 s', () => {
    const { retryAfter, seconds } = newClock();
    expect(retryAfter.refuse()).toBe(1);
    retryAfter.noteTaken();
    expect(retryAfter.refuse()).toBe(1);
    expect(seconds(10, 4, 0.25)).toBeLessThanOrEqual(2);
  });

  test('it grows with the share of the last 10 s that was refused', () => {
    const waits = [0.05, 0.2, 0.5, 0.8, 0.99].map((share) => newClock().seconds(20, 1_000, share));
    expect(waits).toEqual([1, 8, 49, 125, 192]);
  });

  test('a short trouble is short, and the wait is 1 s again 10 s after it', () => {
    const { seconds } = newClock();
    seconds(10, 1_000, 0);
    expect(seconds(1, 1_000, 0.9)).toBeLessThanOrEqual(2);
    expect(seconds(4, 1_000, 0.9)).toBeGreaterThan(35);
    expect(seconds(7, 1_000, 0.001)).toBeGreaterThan(1);
    expect(seconds(4, 1_000, 0.001)).toBe(1);
  });

  test('while nothing is taken, it is one and a half times the outage, up to 200 s', () => {
    const { clock, retryAfter } = newClock();
    retryAfter.noteTaken();
    const waits = [0, 500, 2_500, 30_000, 240_000, 600_000].map((millis) => {
      clock.millis += millis;
      return retryAfter.refuse();
    });
    expect(waits).toEqual([1, 1, 5, 50, 200, 200]);
  });

  test('the refusals of an outage do not count as load after it', () => {
    const { clock, retryAfter, seconds } = newClock();
    seconds(10, 1_000, 0);
    for (let sent = 0; sent < 20_000; sent++) {
      clock.millis += 1;
      retryAfter.refuse();
    }
    retryAfter.noteTaken();
    expect(retryAfter.refuse()).toBe(1);
  });

  test('it has whole seconds between half and one and a half of the wait, and never 0', () => {
    for (const [random, longest] of [
      [0, 100],
      [0.999999, 300],
    ] as const) {
      const { clock, retryAfter } = newClock(random);
      expect(retryAfter.refuse()).toBe(1);
      clock.millis += 1_000_000;
      expect(retryAfter.refuse()).toBe(longest);
    }
  });

  test('a fleet spreads over the whole range', () => {
    const clock = { millis: 0 };
    const retryAfter = new RetryAfter({ uptime: () => clock.millis, random: Math.random });
    retryAfter.refuse();
    clock.millis = 600_000;
    const waits = Array.from({ length: 3_000 }, () => retryAfter.refuse());
    expect(waits.every((wait) => Number.isInteger(wait) && wait >= 100 && wait <= 300)).toBe(true);
    expect(new Set(waits).size).toBeGreaterThan(175);
  });
});
