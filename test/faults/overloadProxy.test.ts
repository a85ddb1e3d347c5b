// Through HAProxy another process sends five times the capacity in small uploads: the service keeps its rate, and the proxy refuses the rest.
import { readFileSync } from 'node:fs';
import { startNodeLoad } from '../bench/ingest/load/nodeLoad.ts';
import type { LoadGenerator, LoadPlan, LoadResult } from '../bench/ingest/load/plan.ts';
import { cpuSeconds } from '../bench/ingest/measure/processUsage.ts';
import { median } from '../bench/ingest/measure/statistics.ts';
import { countNamed } from '../bench/ingest/measure/storedRows.ts';
import { eventsOf, shapes } from '../bench/ingest/shapes.ts';
import { withClient } from '../bench/ingest/targets/benchDatabase.ts';
import { haproxyIsInstalled, startHaproxy, type RunningProxy } from '../support/haproxy.ts';
import { clearAway, type RunningService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import type { TestApplication } from '../support/testWorkspace.ts';
import { newFaultApplication, startFaultService } from './support/faultService.ts';
import { isLong, slack } from './support/form.ts';
import { testFault, type FaultContext } from './support/scenario.ts';

const timeout = 150_000;
const timesCapacity = 5;
/** Small uploads: a refusal by the service costs a fifth of one, and comes four times. */
const shape = shapes.find(({ name }) => name === '1x10')!;
const longestWaitMillis = 2_000;
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
  service = await startFaultService(database.url, { SESSION_SIGNATURE: 'optional', TRUSTED_PROXIES: '1' });
  proxy = await startHaproxy({ service: service.url, ops: service.opsUrl });
  load = startNodeLoad();
  postgresPid = await postmasterOf(database.url);
}, timeout);
afterAll(async () => {
  await load?.stop();
  await proxy?.stop();
  await clearAway();
  await database?.drop();
}, timeout);

/** The parent of a connection's process is the server, whose ended children count in its time. */
async function postmasterOf(url: string): Promise<number> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${rows[0]!.pid}/status`, 'utf8'))![1]);
  });
}

function processorTimes(): Record<'proxy' | 'service' | 'postgres', number> {
  return {
    proxy: cpuSeconds(proxy.pid)!,
    service: cpuSeconds(service.pid)!,
    postgres: cpuSeconds(postgresPid, { children: true })!,
  };
}

interface Phase extends LoadResult {
  acceptedPerSecond: number;
  spent: string;
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
  const before = processorTimes();
  const result = await prepared.run();
  const after = processorTimes();
  const accepted = result.statuses[200] ?? 0;
  const named = await withClient(database.url, (client) => countNamed(client, result.acknowledged!));
  const acknowledged = accepted * eventsOf(shape);
  context.add({
    acknowledged,
    lost: Math.max(0, acknowledged - named.events),
    doubled: Math.max(0, named.events - acknowledged),
    answers: Object.fromEntries(Object.entries(result.statuses).map(([status, count]) => [status, count])),
  });
  const times = (['proxy', 'service', 'postgres'] as const).map(
    (each) => `${each} ${(after[each] - before[each]).toFixed(1)} s`,
  );
  const spent = [`generator ${result.cpuSeconds.toFixed(1)} s`, ...times].join(', ');
  return { ...result, acceptedPerSecond: accepted / result.seconds, spent };
}

function expectCleanRefusals({ statuses, unanswered, withoutRetryAfter, slowestMillis }: Phase): void {
  const { 200: accepted = 0, 503: refused = 0, ...others } = statuses;
  expect({ others, unanswered, withoutRetryAfter }).toEqual({ others: {}, unanswered: 0, withoutRetryAfter: 0 });
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
      say(`closed loop ${phase.acceptedPerSecond.toFixed(0)}/s (${phase.spent})`);
      return phase;
    };
    await closed();
    const most = [(await closed()).acceptedPerSecond];
    const over: number[] = [];
    const phases: Phase[] = [];
    for (; over.length < rounds; most.push((await closed()).acceptedPerSecond)) {
      const perSecond = most.at(-1)! * timesCapacity;
      const uploads = Math.min(mostUploads, Math.ceil(most.at(-1)! * openSeconds * 1.2) + 2 * mostConnections);
      // The generator shares the cores: its handshakes are made before the clock starts. A real flood has them as well.
      const connections = { connections: mostConnections, firstConnections: mostConnections };
      const open = { perSecond, seconds: openSeconds, uploads, ...connections };
      const phase = await run(context, application, open);
      context.injected(phase.sent);
      over.push(phase.acceptedPerSecond);
      say(
        `offered ${(phase.sent / openSeconds).toFixed(0)}/s of ${perSecond.toFixed(0)}/s, accepted ` +
          `${phase.acceptedPerSecond.toFixed(0)}/s, slowest ${phase.slowestMillis.toFixed(0)} ms (${phase.spent})`,
      );
      phases.push(phase);
    }
    const shares = over.map((rate, round) => rate / ((most[round]! + most[round + 1]!) / 2));
    say(`accepted through HAProxy: ${shares.map((share) => `${(share * 100).toFixed(0)} %`).join(', ')}`);
    for (const phase of phases) expectCleanRefusals(phase);
    if (isLong) expect(median(shares)).toBeGreaterThanOrEqual(0.6);
  },
});

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
