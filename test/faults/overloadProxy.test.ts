// Through HAProxy another process sends five times the capacity in small uploads: the service keeps its rate, and the proxy refuses the rest.
import { readFileSync } from 'node:fs';
import { startNodeLoad } from '../bench/ingest/load/nodeLoad.ts';
import { isWrkInstalled, startWrkLoad } from '../bench/ingest/load/wrkLoad.ts';
import type { LoadGenerator, LoadPlan, LoadResult } from '../bench/ingest/load/plan.ts';
import { cpuSeconds, idleSeconds } from '../bench/ingest/measure/processUsage.ts';
import { median } from '../bench/ingest/measure/statistics.ts';
import { countStored, nextTransaction } from '../bench/ingest/measure/storedRows.ts';
import { eventsOf, shapes } from '../bench/ingest/shapes.ts';
import { withClient } from '../bench/ingest/targets/benchDatabase.ts';
import { haproxyIsInstalled, startHaproxy, type RunningProxy } from '../support/haproxy.ts';
import { clearAway, type RunningService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import type { TestApplication } from '../support/testWorkspace.ts';
import { unusedPort } from '../support/unusedPort.ts';
import { newFaultApplication, startFaultService } from './support/faultService.ts';
import { isLong, slack } from './support/form.ts';
import { testFault, type FaultContext } from './support/scenario.ts';

const timesCapacity = 5;
/** Small uploads: a refusal by the service costs a fifth of one, and comes four times. */
const shape = shapes.find(({ name }) => name === '1x10')!;
const longestWaitMillis = 2_000;
/** Of the closed loop's rate, in the median round. */
const leastOfRate = 0.55;
const rounds = isLong ? 5 : 1;
const closedSeconds = isLong ? 4 : 2;
const openSeconds = isLong ? 10 : 3;
const mostConnections = isLong ? 2_000 : 500;
/** Bounds the preparation, whatever the closed loop measured: refused uploads are sent again. */
const mostUploads = 60_000;

let database: TestDatabase;
let service: RunningService;
let proxy: RunningProxy;
let load: LoadGenerator;
let postgresPid: number;
beforeAll(async () => {
  // The long form promises the figures, so it does not pass over a missing proxy.
  if (!haproxyIsInstalled() && !isLong) return;
  database = await createTestDatabase();
  service = await startFaultService(database.url, {
    ROLE: 'ingest',
    SESSION_SIGNATURE: 'optional',
    TRUSTED_PROXIES: '1',
  });
  // No process of admin: its absence takes nothing from uploads.
  const nobody = `http://127.0.0.1:${await unusedPort()}`;
  proxy = await startHaproxy({
    ingest: { service: service.url, ops: service.opsUrl },
    admin: { service: nobody, ops: nobody },
  });
  // As in the bench. The short form runs everywhere, and needs the names of what was acknowledged.
  load = isLong && isWrkInstalled() ? startWrkLoad() : startNodeLoad();
  postgresPid = await postmasterOf(database.url);
});
afterAll(async () => {
  await load?.stop();
  await proxy?.stop();
  await clearAway();
  await database?.drop();
});

/** The parent of a connection's process is the server, whose ended children count in its time. */
async function postmasterOf(url: string): Promise<number> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${rows[0]!.pid}/status`, 'utf8'))![1]);
  });
}

/** Processor seconds of a phase. `idle` is what no process of the machine asked for. */
type Spent = Record<'generator' | 'proxy' | 'service' | 'postgres' | 'idle', number>;

function processorTimes(): Omit<Spent, 'generator'> {
  return {
    proxy: cpuSeconds(proxy.pid)!,
    service: cpuSeconds(service.pid)!,
    postgres: cpuSeconds(postgresPid, { children: true })!,
    idle: idleSeconds()!,
  };
}

interface Phase extends LoadResult {
  accepted: number;
  acceptedPerSecond: number;
  spent: Spent;
}

const wordsOf = (spent: Spent): string =>
  Object.entries(spent)
    .map(([name, seconds]) => `${name} ${seconds.toFixed(1)} s`)
    .join(', ');

/**
 * Of the uploads that a flood left processor time for, the share that was accepted. What is left is what neither the
 * generator nor the refusals took; a closed loop tells what one upload costs the proxy, the service and PostgreSQL.
 * Processor time that other programs of the machine take is nobody's.
 */
function shareOfLeft(flood: Phase, closed: Phase): number {
  const inProxy = (closed.spent.proxy / closed.accepted) * flood.accepted;
  const left = flood.spent.service + flood.spent.postgres + inProxy + flood.spent.idle;
  const perUpload = (closed.spent.proxy + closed.spent.service + closed.spent.postgres) / closed.accepted;
  return (flood.accepted * perUpload) / left;
}

async function run(context: FaultContext, { key }: TestApplication, plan: Partial<LoadPlan>): Promise<Phase> {
  const series = { signed: true, cycle: false, seed: context.random.between(1, 1e9), name: 'overload-proxy' };
  const target = {
    urls: [proxy.url],
    key,
    shape,
    connections: 64,
    seconds: closedSeconds,
    uploads: 5_000 * closedSeconds,
  };
  const prepared = await load.prepare({ ...series, ...target, ...plan });
  const since = await nextTransaction(database.url);
  const before = processorTimes();
  const result = await prepared.run();
  const after = processorTimes();
  const accepted = result.statuses[200] ?? 0;
  const stored = await countStored(database.url, since, result.acknowledged ?? []);
  // wrk cannot name what was acknowledged, and ends a closed loop while some are under way: then all that is stored counts.
  const { events } = result.acknowledged ? stored.named : stored;
  const acknowledged = accepted * eventsOf(shape);
  context.add({
    acknowledged,
    lost: Math.max(0, acknowledged - events),
    doubled: Math.max(0, events - acknowledged - result.unserved * eventsOf(shape)),
    responses: Object.fromEntries(Object.entries(result.statuses).map(([status, count]) => [status, count])),
  });
  const spent: Spent = {
    generator: result.cpuSeconds,
    proxy: after.proxy - before.proxy,
    service: after.service - before.service,
    postgres: after.postgres - before.postgres,
    idle: after.idle - before.idle,
  };
  return { ...result, accepted, acceptedPerSecond: accepted / result.seconds, spent };
}

function expectCleanRefusals({ statuses, unserved, withoutRetryAfter, slowestMillis }: Phase): void {
  const { 200: accepted = 0, 503: refused = 0, ...others } = statuses;
  expect({ others, unserved, withoutRetryAfter }).toEqual({
    others: {},
    unserved: 0,
    withoutRetryAfter: 0,
  });
  expect(Math.min(accepted, refused)).toBeGreaterThan(0);
  expect(slowestMillis).toBeLessThanOrEqual(longestWaitMillis * slack);
}

testFault({
  name: 'five times the load in small uploads through HAProxy',
  times: { short: 1, long: 5 },
  async run(context) {
    if (!load) return context.skip('HAProxy is not installed');
    const { application } = await newFaultApplication(database.url);
    const closed = async (): Promise<Phase> => {
      const phase = await run(context, application, {});
      say(`closed loop ${phase.acceptedPerSecond.toFixed(0)}/s (${wordsOf(phase.spent)})`);
      return phase;
    };
    const [first, second] = [await closed(), await closed()];
    // A pause of a busy machine would make five times of it less than the service takes.
    const most = [isLong || second.acceptedPerSecond > first.acceptedPerSecond ? second : first];
    const floods: Phase[] = [];
    for (; floods.length < rounds; most.push(await closed()))
      floods.push(await flood(context, application, most.at(-1)!));
    const around = (round: number): [Phase, Phase] => [most[round]!, most[round + 1]!];
    const ofRate = floods.map(
      ({ acceptedPerSecond }, round) =>
        (2 * acceptedPerSecond) / around(round).reduce((sum, phase) => sum + phase.acceptedPerSecond, 0),
    );
    const ofLeft = floods.map((phase, round) => median(around(round).map((each) => shareOfLeft(phase, each))));
    say(`accepted through HAProxy, of the rate of the closed loop: ${percentages(ofRate)}`);
    say(`accepted, of what generator and refusals left: ${percentages(ofLeft)}`);
    for (const phase of floods) expectCleanRefusals(phase);
    if (!isLong) return;
    expect(median(ofRate)).toBeGreaterThanOrEqual(leastOfRate);
    expect(median(ofLeft)).toBeGreaterThanOrEqual(0.8);
  },
});

const percentages = (shares: number[]): string => shares.map((share) => `${(share * 100).toFixed(0)} %`).join(', ');

async function flood(context: FaultContext, application: TestApplication, closed: Phase): Promise<Phase> {
  const perSecond = closed.acceptedPerSecond * timesCapacity;
  const uploads = Math.min(mostUploads, Math.ceil(closed.acceptedPerSecond * openSeconds * 1.2) + 2 * mostConnections);
  // The generator shares the cores: its handshakes are made before the clock starts. A real flood has them as well.
  const connections = { connections: mostConnections, firstConnections: mostConnections };
  const phase = await run(context, application, { perSecond, seconds: openSeconds, uploads, ...connections });
  context.injected(phase.sent);
  say(
    `offered ${(phase.sent / openSeconds).toFixed(0)}/s of ${perSecond.toFixed(0)}/s, accepted ` +
      `${phase.acceptedPerSecond.toFixed(0)}/s, slowest ${phase.slowestMillis.toFixed(0)} ms (${wordsOf(phase.spent)})`,
  );
  return phase;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
