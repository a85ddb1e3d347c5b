// An upload is in the lists of the admin API soon after its response, from a copy as a process has it, and `device` finds what `devices` lists.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabaseEngine } from '../../src/analytics/engine/databaseEngine.ts';
import { EmbeddedEngine } from '../../src/analytics/engine/embeddedEngine.ts';
import { question } from '../../src/analytics/engine/question.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';
import { aDevice, anEvent, aReport, aSession } from '../support/uploads.ts';

/**
 * An upload is there after 5 seconds (schema.graphql, "Limits of analytics") on a machine that has time. Here other tests run beside this one, so a test polls
 * until it sees the upload, and fails only after this time.
 */
const timeout = 120_000;
const pollMillis = 100;

let service: TestService;
let viewer: TestUser;
let dir: string;
let embedded: EmbeddedEngine;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'analytics-'));
  service = await startTestService({
    change: (deps) => {
      const { log, metrics, pool } = deps;
      // Every other option as in production.
      embedded = new EmbeddedEngine({ connection: pool.options, dir, memoryMib: 128, threads: 2, log, metrics });
      return { ...deps, analytics: embedded };
    },
  });
  viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
}, timeout);
afterAll(async () => {
  await service.stop();
  await rm(dir, { recursive: true, force: true });
});

const send = (report: object, key = service.application.key.public) =>
  service.client.send('reportSessions', { 'X-Api-Key': key }, report);

interface Page {
  nodes: Record<string, unknown>[];
  total?: number;
}

/** Polls a list until `isThere`. The first responses may be `ANALYTICS_UNAVAILABLE`, while the copy is built. */
async function seen(list: string, isThere: (page: Page) => boolean): Promise<Page> {
  for (const end = Date.now() + timeout - 10_000; ; await sleep(pollMillis)) {
    const { data, errors } = await viewer.ask(`{ list: ${list} }`);
    const page = data?.['list'] as Page | null | undefined;
    if (page && isThere(page)) return page;
    if (Date.now() > end) throw new Error(`not seen: ${list}; last ${JSON.stringify(page ?? errors)}`);
  }
}

const list = (field: string, selection: string, more = '') =>
  `${field}(applicationId: "${service.application.id}"${more}) { nodes { ${selection} } }`;

test(
  'eventNames, devices and recentEvents show an upload, and the next one of the same session',
  async () => {
    const [device, session] = [aDevice('fresh'), aSession({ events: [anEvent({ name: 'First', params: [] })] })];
    await send(aReport({ device, sessions: [session] }));
    const names = (page: Page) => page.nodes.map(({ name }) => name);
    await seen(list('eventNames', 'name'), (page) => names(page).includes('First'));
    await seen(list('devices', 'id sessionsCount'), ({ nodes }) =>
      nodes.some(({ id, sessionsCount }) => id === 'fresh' && sessionsCount === 1),
    );
    await seen(list('recentEvents', 'name deviceId'), (page) => names(page).includes('First'));
    await send(aReport({ device, sessions: [{ ...session, events: [anEvent({ name: 'Second', params: [] })] }] }));
    const { nodes } = await seen(list('recentEvents', 'name deviceId', ', limit: 1'), (page) =>
      names(page).includes('Second'),
    );
    expect(nodes).toEqual([{ name: 'Second', deviceId: 'fresh' }]);
  },
  timeout,
);

test(
  'a change of the test devices is in every response whose asOf is after it, from both engines',
  async () => {
    await send(aReport({ device: aDevice('of a tester'), sessions: [aSession()] }));
    const { pool, url } = service.database;
    const database = createDatabaseEngine({ connection: { connectionString: url }, log: createLog('silent') });
    await embedded.copy.followed();
    for (const engine of [embedded, database]) {
      for (const isTest of [true, false, true, false, true]) {
        const listed = isTest ? ['of a tester'] : [];
        await pool.query('UPDATE applications SET test_devices = $1 WHERE id = $2', [listed, service.application.id]);
        const { rows: clock } = await pool.query<{ now: Date }>('SELECT clock_timestamp() AS now');
        for (let asOf = 0; asOf <= clock[0]!.now.getTime(); await sleep(pollMillis)) {
          const asked = await engine.ask<{ test: boolean }>(question('test')`
            SELECT d.test FROM analytics.devices d WHERE d.id = 'of a tester'`);
          asOf = asked.asOf.getTime();
          if (asOf > clock[0]!.now.getTime()) expect(asked.rows).toEqual([{ test: isTest }]);
        }
      }
    }
    await database.close();
  },
  timeout,
);

test(
  'ingestIssues shows a refused upload',
  async () => {
    const refused = await fetch(`${service.url}/api/v1/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Api-Key': service.application.key.public },
      body: JSON.stringify({ ...aReport(), sessions: 'none' }),
    });
    expect(refused.status).toBe(422);
    const [from, to] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10));
    const { nodes } = await seen(list('ingestIssues', 'path count', `, from: "${from}", to: "${to}"`), (page) =>
      page.nodes.some(({ path: where }) => where === 'sessions'),
    );
    expect(nodes).toEqual([{ path: 'sessions', count: 1 }]);
  },
  timeout,
);

test(
  'device finds every device that devices lists, and devices lists every device that was sent',
  async () => {
    const ids = ['d 1', 'd/2', 'Größe', '東京', "'; --", 'UPPER', 'upper'];
    for (const id of ids) await send(aReport({ device: aDevice(id) }));
    // Another application knows the same ids, and more.
    const other = await service.newApplication();
    for (const id of ['d 1', 'only there']) await send(aReport({ device: aDevice(id) }), other.key.public);
    const ofIds = (page: Page) => page.nodes.map(({ id }) => id as string);
    const page = await seen(list('devices', 'id firstSeenAt lastSeenAt', ', limit: 200'), (found) =>
      ids.every((id) => ofIds(found).includes(id)),
    );
    expect(ofIds(page).sort()).toEqual(['fresh', ...ids].sort());
    for (const node of page.nodes) {
      const { data, errors } = await viewer.ask(
        'query One($app: UUID!, $id: String!) { device(applicationId: $app, id: $id) { id firstSeenAt lastSeenAt } }',
        { app: service.application.id, id: node['id'] },
      );
      expect([errors, data]).toEqual([[], { device: node }]);
    }
  },
  timeout,
);
