// A worker of a Citus cluster is away, or holds rows of an undecided commit, under load of many devices: only uploads of its own devices may wait.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { deviceKey } from '../../src/devices/deviceKey.ts';
import { newFaultApplication, startFaultService } from '../faults/support/faultService.ts';
import { testFault, type FaultContext } from '../faults/support/scenario.ts';
import type { TcpProxy } from '../faults/support/tcpProxy.ts';
import { uploadTo } from '../faults/support/transports.ts';
import type { Trial } from '../faults/support/trial.ts';
import { expectEqual, testCopies } from '../support/analyticsCopy.ts';
import { proxyBeforeWorker, recoverByItself } from './citusFaults.ts';
import { eventually } from '../support/eventually.ts';
import { clearAway, type RunningService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import type { TestApplication } from '../support/testWorkspace.ts';
import { aDevice, anEvent, aReport, aSession } from '../support/uploads.ts';

let database: TestDatabase;
let service: RunningService;
let proxy: TcpProxy;
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await proxyBeforeWorker(database.pool);
  service = await startFaultService(database.url);
});
afterAll(async () => {
  await service.end('SIGKILL');
  await clearAway();
  await recoverByItself('1min');
  proxy.restore();
  await database.pool.query('SELECT recover_prepared_transactions()');
  await database.drop();
  await proxy.close();
});

const [devices, eventsOfUpload, stretchMillis] = [48, 10, 8_000];
const shareKept = 0.4;

/** A second. On a machine so busy that responses took longer before the fault, as long as then. */
const atMost = (before: readonly Response[]): number => Math.max(1_000, p95(stored(before)));

interface Response {
  device: string;
  status: number;
  sentAt: number;
  at: number;
}

/** Each device sends one upload after the other, and waits like an SDK after a 503. */
class Fleet {
  readonly responses: Response[] = [];
  readonly #trial: Trial;
  readonly #send: ReturnType<Trial['watched']>;
  readonly #pauseMillis: number;
  readonly #sending: Promise<void>[];
  #over = false;

  constructor(trial: Trial, pauseMillis: number) {
    this.#trial = trial;
    this.#pauseMillis = pauseMillis;
    this.#send = trial.watched(uploadTo(() => service.url));
    this.#sending = Array.from({ length: devices }, (_, n) => this.#sendOn(`device ${n}`));
  }

  async #sendOn(device: string): Promise<void> {
    let session = aSession();
    for (let uploads = 1; !this.#over; uploads += 1) {
      if (uploads % 4 === 0) session = aSession();
      const events = Array.from({ length: eventsOfUpload }, () => anEvent());
      const user = { id: device, properties: [{ name: 'uploads', value: uploads }] };
      const report = aReport({ user, device: aDevice(device), sessions: [{ ...session, events }] });
      const sentAt = Date.now();
      const reply = await this.#trial.ledger.send(report, this.#send);
      this.responses.push({ device, status: reply?.status ?? 0, sentAt, at: Date.now() });
      await pause(reply?.status === 200 ? this.#pauseMillis * (0.5 + Math.random()) : 250);
    }
  }

  /** The responses of a stretch of time that begins now. */
  async during(millis: number): Promise<Response[]> {
    const from = Date.now();
    await pause(millis);
    return this.responses.filter(({ at }) => at >= from);
  }

  async stop(): Promise<void> {
    this.#over = true;
    await Promise.all(this.#sending);
  }
}

const stored = (responses: readonly Response[]): Response[] => responses.filter(({ status }) => status === 200);

function p95(responses: readonly Response[]): number {
  const took = responses.map(({ sentAt, at }) => at - sentAt).sort((one, other) => one - other);
  return took[Math.ceil(took.length * 0.95) - 1]!;
}

/** Of the fleet's devices, by the worker that holds them. */
async function devicesBehindProxy(application: TestApplication): Promise<Set<string>> {
  const names = Array.from({ length: devices }, (_, n) => `device ${n}`);
  const { rows } = await database.pool.query<{ key: string }>(
    `SELECT key FROM unnest($1::uuid[]) AS key
     JOIN pg_dist_placement ON shardid = get_shard_id_for_distribution_column('devices', key)
     JOIN pg_dist_node USING (groupid) WHERE nodeport = $2`,
    [names.map((name) => deviceKey(application.id, name)), proxy.port],
  );
  const keys = new Set(rows.map(({ key }) => key));
  return new Set(names.filter((name) => keys.has(deviceKey(application.id, name))));
}

/** One report of install attribution or of a purchase for each device, one after the other. */
async function reportEach({ key }: TestApplication, operation: 'attribution' | 'purchase'): Promise<Response[]> {
  const path = { attribution: '/api/v1/attribution', purchase: '/api/v1/tm/store' }[operation];
  const responses: Response[] = [];
  for (let n = 0; n < devices; n += 1) {
    const [device, sentAt] = [`device ${n}`, Date.now()];
    const report =
      operation === 'purchase'
        ? { transactions: [{ id: randomUUID() }] }
        : { system: { os_version: '18' }, attribution: { provider_a: { id: randomUUID() } }, custom: null };
    const response = await fetch(service.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Api-Key': key.public },
      body: JSON.stringify({ device: { id: device }, ...report }),
    });
    await response.text();
    responses.push({ device, status: response.status, sentAt, at: Date.now() });
  }
  return responses;
}

interface Load {
  application: TestApplication;
  fleet: Fleet;
  /** Devices of the worker behind the proxy. */
  behind: ReadonlySet<string>;
  before: Response[];
}

interface How {
  /** Between two uploads of a device. With the shortest pauses the service is busy, and its batches hold many devices. */
  pauseMillis: number;
  mayBeCut?: boolean;
}

/** The copy is compared when all has been sent and is decided. */
async function underLoad(
  context: FaultContext,
  { pauseMillis, mayBeCut = false }: How,
  work: (load: Load) => Promise<void>,
): Promise<void> {
  const { application } = await newFaultApplication(database.url);
  const url = () => service.url;
  const trial = await context.trial({ databaseUrl: database.url, url, application, mayBeCut });
  const behind = await devicesBehindProxy(application);
  expect(Math.min(behind.size, devices - behind.size)).toBeGreaterThan(devices / 4);
  const fleet = new Fleet(trial, pauseMillis);
  try {
    await wellAgain(fleet);
    const before = await fleet.during(stretchMillis);
    show('before', before);
    await work({ application, fleet, behind, before });
  } finally {
    await fleet.stop();
  }
  await expectCopyEqual();
}

/** All devices are served, and nothing is undecided: a connection that was cut may have left a commit in the middle. */
async function wellAgain(fleet: Fleet): Promise<void> {
  await eventually(
    async () => {
      await database.pool.query('SELECT recover_prepared_transactions()');
      return new Set(stored(await fleet.during(5_000)).map(({ device }) => device)).size;
    },
    (served) => served === devices,
  );
}

async function expectCopyEqual(): Promise<void> {
  const copies = await testCopies(database.url);
  await expectEqual(copies.open(), database.pool);
  await copies.remove();
}

function show(name: string, responses: readonly Response[]): void {
  const [good, bad] = [stored(responses), responses.filter(({ status }) => status !== 200)];
  const each = (some: readonly Response[]) => (some.length > 0 ? `${some.length}, p95 ${p95(some)} ms` : '0');
  process.stdout.write(`${name}: 200: ${each(good)}; others: ${each(bad)}\n`);
}

testFault({
  name: 'Citus: one worker refuses connections; uploads whose devices live elsewhere go on',
  times: { short: 1, long: 5 },
  run: (context) =>
    underLoad(context, { pauseMillis: 20 }, async ({ application, fleet, behind, before }) => {
      for (let time = 0; time < context.times; time += 1) {
        proxy.refuse();
        context.injected();
        const meanwhile = await fleet.during(stretchMillis);
        show('one worker away', meanwhile);
        const others = meanwhile.filter(({ device }) => !behind.has(device));
        expect(stored(others).length / stored(before).length).toBeGreaterThan(shareKept);
        expect(p95(stored(others))).toBeLessThan(atMost(before));
        for (const operation of ['attribution', 'purchase'] as const) {
          const reports = await reportEach(application, operation);
          show(`${operation} beside it`, reports);
          for (const { device, status } of reports)
            expect([device, status]).toEqual([device, behind.has(device) ? 503 : 200]);
          expect(p95(reports)).toBeLessThan(atMost(before));
        }
        proxy.restore();
        await wellAgain(fleet);
      }
    }),
});

testFault({
  name: 'Citus: a service that starts while one worker is away stores what lives elsewhere',
  times: { short: 1, long: 5 },
  run: (context) =>
    underLoad(context, { pauseMillis: 500, mayBeCut: true }, async ({ fleet, behind }) => {
      for (let time = 0; time < context.times; time += 1) {
        proxy.refuse();
        await service.end('SIGTERM');
        service = await startFaultService(database.url);
        context.injected();
        await pause(2_000);
        const meanwhile = await fleet.during(stretchMillis);
        show('started beside a worker away', meanwhile);
        const served = new Set(stored(meanwhile).map(({ device }) => device));
        expect(served.size).toBe(devices - behind.size);
        expect([...served].filter((device) => behind.has(device))).toEqual([]);
        proxy.restore();
        await wellAgain(fleet);
      }
    }),
});

testFault({
  name: 'Citus: commits cut between their phases hold rows; uploads behind them get 503 at once and delay no others',
  times: { short: 2, long: 20 },
  run: (context) =>
    underLoad(context, { pauseMillis: 3_000 }, async ({ fleet, before }) => {
      await recoverByItself('-1');
      for (let time = 0; time < context.times; time += 1) {
        const lost = proxy.lost();
        proxy.loseRequests('COMMIT PREPARED', 1);
        await eventually(
          () => Promise.resolve(proxy.lost()),
          (count) => count > lost,
        );
        proxy.restore();
        context.injected();
        const meanwhile = await fleet.during(stretchMillis);
        show('rows are held', meanwhile);
        const refused = meanwhile.filter(({ status }) => status === 503);
        const held = new Set(refused.map(({ device }) => device));
        const others = meanwhile.filter(({ device }) => !held.has(device));
        expect(refused.length).toBeGreaterThan(0);
        expect(p95(refused)).toBeLessThan(atMost(before));
        expect(p95(stored(others))).toBeLessThan(atMost(before));
        expect(stored(meanwhile).length / stored(before).length).toBeGreaterThan(shareKept);
        await database.pool.query('SELECT recover_prepared_transactions()');
        await wellAgain(fleet);
      }
    }),
});
