// One application sends signed uploads that take long to read: uploads of another application go on beside them.
import { gzipSync } from 'node:zlib';
import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from '../bench/ingest/measure/statistics.ts';
import { retried } from '../support/retried.ts';
import { clearAway, type RunningService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import type { TestApplication } from '../support/testWorkspace.ts';
import { aReport, aSession, anEvent, json, signedHeaders } from '../support/uploads.ts';
import { newFaultApplication, startFaultService } from './support/faultService.ts';
import { isLong, slack } from './support/form.ts';
import { testFault } from './support/scenario.ts';

const connections = 48;
const honestClients = 4;
const betweenUploads = 50;
/** Promised on a machine that does nothing else. */
const promisedMillis = 200;

let database: TestDatabase;
let service: RunningService;
beforeAll(async () => {
  database = await createTestDatabase();
  service = await startFaultService(database.url, { ROLE: 'ingest' });
});
afterAll(async () => {
  await clearAway();
  await database.drop();
});

const usual = () => json(aReport({ sessions: [aSession({ events: Array.from({ length: 10 }, () => anEvent()) })] }));
/** A valid upload with a member that nobody reads. */
const withUnread = (unread: string) => Buffer.from(usual().toString().replace('{', `{"unread":${unread},`));
const many = (count: number, unit: (index: number) => string) =>
  Array.from({ length: count }, (_, at) => unit(at)).join();

/** The most that the limits of openapi.yaml allow of each, and what is far beyond them. */
const costly: Record<string, Buffer> = {
  '1,200,000 numbers': withUnread(`[${many(1_200_000, () => '1')}]`),
  '99,000 numbers': withUnread(`[${many(99_000, () => '1')}]`),
  '30,000 numbers': withUnread(`[${many(30_000, () => '1')}]`),
  '45,000 names': withUnread(`{${many(45_000, (at) => `"${at}":1`)}}`),
  'one name 90,000 times': withUnread(`{${many(90_000, () => '"":1')}}`),
  'numbers of 16 digits': withUnread(`[${many(29_000, () => '9007199254740993')}]`),
  'lists in lists': withUnread(`[${many(8_000, () => '[[[[[[[[[[]]]]]]]]]]')}]`),
  'one long text of escapes': withUnread(`"${'\\u0041'.repeat(85_000)}"`),
  'one number of 500,000 digits': withUnread('1'.repeat(500_000)),
  'white space': withUnread(`1${' '.repeat(500_000)}`),
};

async function send({ key }: TestApplication, body: Buffer): Promise<{ status: number }> {
  const headers = { ...signedHeaders(key, body), 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
  const response = await fetch(`${service.url}/api/v1/session`, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return { status: response.status };
}

interface Beside {
  half: number;
  most: number;
  uploads: number;
  responses: Record<string, number>;
}

testFault({
  name: 'signed uploads that take long to read',
  // Seconds of each kind.
  times: { short: 2, long: 10 },
  async run(context) {
    const [{ application: hostile }, { application: honest }] = [
      await newFaultApplication(database.url),
      await newFaultApplication(database.url),
    ];
    const beside = async (body: () => Buffer): Promise<Beside> => {
      const until = performance.now() + context.times * 1_000;
      const responses: Record<string, number> = {};
      const flood = async (): Promise<void> => {
        while (performance.now() < until) {
          const { status } = await send(hostile, body());
          responses[status] = (responses[status] ?? 0) + 1;
          context.injected();
        }
      };
      const taken: number[] = [];
      const watch = async (): Promise<void> => {
        while (performance.now() < until) {
          const begun = performance.now();
          const body = gzipSync(usual());
          const { status } = isLong ? await send(honest, body) : await retried(() => send(honest, body));
          expect(status).toBe(200);
          taken.push(performance.now() - begun);
          await pause(betweenUploads);
        }
      };
      await Promise.all([
        ...Array.from({ length: connections }, flood),
        ...Array.from({ length: honestClients }, watch),
      ]);
      taken.sort((one, other) => one - other);
      context.add({ acknowledged: taken.length, responses });
      return { half: percentile(taken, 0.5), most: percentile(taken, 0.95), uploads: taken.length, responses };
    };
    // The first requests of a process compile its code.
    await beside(() => gzipSync(usual()));
    const normal = await beside(() => gzipSync(usual()));
    const lines = [lineOf('usual uploads', normal)];
    const slow: string[] = [];
    for (const [name, body] of Object.entries(costly)) {
      const bytes = gzipSync(body);
      const found = await beside(() => bytes);
      lines.push(lineOf(`${name}, ${bytes.length} bytes`, found));
      const isSlow = isLong ? found.most > promisedMillis : found.half > slack * (normal.half + promisedMillis);
      if (isSlow) slow.push(name);
    }
    process.stdout.write(`${lines.join('\n')}\n`);
    expect(slow).toEqual([]);
  },
});

const lineOf = (name: string, { half, most, uploads, responses: results }: Beside): string =>
  `beside ${connections} connections of ${name}: ${uploads} uploads, p50 ${half.toFixed(0)} ms, p95 ${most.toFixed(0)} ms; ${JSON.stringify(results)}`;
