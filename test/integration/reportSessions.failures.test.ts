// POST /api/v1/session: failures of our own are 500 or 503, never a 4xx, and say nothing of their cause.
import { connect, type Socket } from 'node:net';
import { jest } from '@jest/globals';
import type { Deps } from '../../src/deps.ts';
import { AppError } from '../../src/platform/errors.ts';
import { eventually } from '../support/eventually.ts';
import { gate, nextTurn } from '../support/memoryStore.ts';
import { readMetrics, valueOf } from '../support/metricsText.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { aReport } from '../support/uploads.ts';

describe('failures of our own', () => {
  const failing = async (change: (deps: Deps) => Deps, run: (broken: TestService) => Promise<void>) => {
    await using broken = await startTestService({ change });
    await run(broken);
  };
  const sendTo = ({ client, application }: TestService, headers = {}, report: object = aReport()) =>
    client.send('reportSessions', { 'X-Api-Key': application.key.public, ...headers }, report);

  test('an unexpected failure is 500 without its details', async () => {
    const uploads: Deps['uploads'] = { isFull: () => false, take: () => Promise.reject(new Error('secret detail')) };
    await failing(
      (deps) => ({ ...deps, uploads }),
      async (broken) => {
        const answer = await sendTo(broken);
        expect(answer).toMatchObject({ status: 500, body: { error: 'internal_error', status: 500 } });
        expect(JSON.stringify(answer)).not.toContain('secret detail');
      },
    );
  });

  test('a key that cannot be looked up is 503 with Retry-After, never 404', async () => {
    const applications = {
      peek: () => undefined,
      find: () => Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })),
    };
    await failing(
      (deps) => ({ ...deps, applications }),
      async (broken) => {
        const answer = await sendTo(broken);
        expect(answer).toMatchObject({ status: 503, body: { error: 'unavailable', status: 503 } });
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      },
    );
  });

  test('Retry-After grows with the outage, for its operation alone, and is 1 after it', async () => {
    let isAway = true;
    const outage = () => Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));
    const change = (deps: Deps): Deps => ({
      ...deps,
      applications: { ...deps.applications, find: (key) => (isAway ? outage() : deps.applications.find(key)) },
    });
    await failing(change, async (broken) => {
      const wait = async () => Number((await sendTo(broken)).headers['retry-after']);
      expect(await wait()).toBe(1);
      const now = performance.now.bind(performance);
      const later = jest.spyOn(performance, 'now').mockImplementation(() => now() + 600_000);
      try {
        const waits = await Promise.all(Array.from({ length: 20 }, wait));
        for (const each of waits) expect(each >= 100 && each <= 300).toBe(true);
        expect(new Set(waits).size).toBeGreaterThan(10);
        const key = { 'X-Api-Key': broken.application.key.public };
        expect((await broken.client.send('getCampaigns', key)).headers['retry-after']).toBe('1');
        isAway = false;
        expect(await sendTo(broken)).toMatchObject({ status: 200 });
        isAway = true;
        expect(await wait()).toBe(1);
      } finally {
        later.mockRestore();
      }
    });
  });

  test('a refusal with a Retry-After of its own keeps it, and is no load', async () => {
    const refusals = [...Array<number>(30).fill(3_600), null].map(
      (retryAfterSeconds) => new AppError('unavailable', { retryAfterSeconds }),
    );
    const uploads: Deps['uploads'] = { isFull: () => false, take: () => Promise.reject(refusals.shift()!) };
    await failing(
      (deps) => ({ ...deps, uploads }),
      async (broken) => {
        const waits: unknown[] = [];
        while (refusals.length > 0) waits.push((await sendTo(broken)).headers['retry-after']);
        expect(waits).toEqual([...Array<string>(30).fill('3600'), '1']);
      },
    );
  });

  test('a full queue is 503, and what was accepted is stored', async () => {
    await using small = await startTestService({ ingestQueueUploads: 1 });
    const reports = Array.from({ length: 60 }, () => aReport());
    const answers = await Promise.all(
      reports.map((report) =>
        small.client.send('reportSessions', { 'X-Api-Key': small.application.key.public }, report),
      ),
    );
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect(count(200) + count(503)).toBe(60);
    expect(count(503)).toBeGreaterThan(0);
    expect(await small.database.prisma.event.count()).toBe(count(200));
  });

  test('uploads that are refused behind an answer that nobody reads take no room from others', async () => {
    const { hold, open } = gate();
    const hanging = (deps: Deps): Deps => ({
      ...deps,
      campaigns: { ...deps.campaigns, find: () => hold as Promise<never> },
    });
    await failing(hanging, async (busy) => {
      const key = `X-Api-Key: ${busy.application.key.public}\r\n`;
      const body = ' '.repeat(60_000);
      const unread = `GET /api/v1/campaigns HTTP/1.1\r\nHost: x\r\n${key}\r\n`;
      const refused = `POST /api/v1/session HTTP/1.1\r\nHost: x\r\n${key}Content-Length: ${body.length}\r\n\r\n${body}`;
      const { hostname, port } = new URL(busy.url);
      const rejected = async () =>
        valueOf(readMetrics(await busy.deps.metrics.registry.metrics()), 'ingest_uploads_total', {
          outcome: 'validation_failed',
        });
      const sockets: Socket[] = [];
      // By halves: 64 that come together, on a busy machine, are a crowd before the first of them is refused.
      for (const count of [35, 70]) {
        while (sockets.length < count) sockets.push(connect(Number(port), hostname).on('error', () => undefined));
        const added = sockets.slice(-35);
        await Promise.all(added.map((socket) => new Promise((resolve) => socket.write(unread + refused, resolve))));
        await eventually(rejected, (refusals) => refusals === count);
      }
      expect(await sendTo(busy)).toMatchObject({ status: 200 });
      for (const socket of sockets) socket.destroy();
      open();
    });
  });

  test('an upload beyond 64 others of 3.5 MiB together is 503 at once, and those that came before are stored', async () => {
    const { hold, open } = gate();
    let held = 0;
    const change = (deps: Deps): Deps => ({
      ...deps,
      applications: {
        ...deps.applications,
        find: async (key) => ((held += 1), await hold, deps.applications.find(key)),
      },
    });
    await failing(change, async (busy) => {
      const send = (size: number) => sendTo(busy, {}, { ...aReport(), unknown: 'x'.repeat(size) });
      const sizes = [1_500_000, 1_500_000, 1_500_000, ...Array<number>(61).fill(0)];
      const first: ReturnType<typeof send>[] = [];
      // Each is admitted, whatever the total size of those before it.
      for (const size of sizes) {
        first.push(send(size));
        while (held < first.length) await nextTurn();
      }
      const refused = await sendTo(busy);
      expect(refused).toMatchObject({ status: 503, body: { error: 'unavailable', status: 503 } });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect(refused.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      open();
      expect((await Promise.all(first)).map(({ status }) => status)).toEqual(first.map(() => 200));
      expect(await sendTo(busy)).toMatchObject({ status: 200 });
      expect(await busy.database.prisma.event.count()).toBe(first.length + 1);
    });
  });
});
