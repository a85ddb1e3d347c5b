// Five times the load that the service can take, from another process: it goes on working, and refuses the rest cleanly.
import { startNodeLoad } from '../bench/ingest/load/nodeLoad.ts';
import type { LoadGenerator, LoadPlan, LoadResult } from '../bench/ingest/load/plan.ts';
import { peakMebibytes } from '../bench/ingest/measure/processUsage.ts';
import { countStored, newestSession } from '../bench/ingest/measure/storedRows.ts';
import { eventsOf, shapes } from '../bench/ingest/shapes.ts';
import { clearAway, type RunningService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import type { TestApplication } from '../support/testWorkspace.ts';
import { newFaultApplication, startFaultService } from './support/faultService.ts';
import { isLong, slack } from './support/form.ts';
import { testFault, type FaultContext } from './support/scenario.ts';

const timeout = 150_000;
const memoryMebibytes = 512;
const timesCapacity = 5;
const mostConnections = 1_000;
/** What an SDK sends after an outage of its own: the sessions that have gathered. */
const shape = shapes.find(({ name }) => name === '5x40')!;
let database: TestDatabase;
let service: RunningService;
let load: LoadGenerator;
let ended = false;
beforeAll(async () => {
  database = await createTestDatabase();
  service = await startFaultService(database.url, {
    SESSION_SIGNATURE: 'optional',
    // A generator that shares the machine with other tests does not fill a queue of the usual length for sure.
    ...(isLong ? {} : { INGEST_QUEUE_UPLOADS: '32' }),
  });
  void service.ended.then(() => (ended = true));
  load = startNodeLoad();
}, timeout);
afterEach(() => expect(ended).toBe(false));
afterAll(async () => {
  await load.stop();
  await clearAway();
  await database.drop();
}, timeout);

interface Phase extends LoadResult {
  acceptedPerSecond: number;
}

/** One phase of load, all that it acknowledged held against the database. */
async function run(context: FaultContext, { key }: TestApplication, plan: Partial<LoadPlan>): Promise<Phase> {
  const series = {
    signed: false,
    cycle: false,
    seed: context.random.between(1, 1e9),
    name: `overload-${context.times}`,
  };
  const target = { urls: [service.url], key, shape, connections: 64, seconds: 2, uploads: 4_000 };
  const prepared = await load.prepare({ ...series, ...target, ...plan });
  const before = await newestSession(database.url);
  const result = await prepared.run();
  const accepted = result.statuses[200] ?? 0;
  const stored = await countStored(database.url, before, result.acknowledged!);
  const [acknowledged, sent] = [accepted * eventsOf(shape), result.sent * eventsOf(shape)];
  context.add({
    acknowledged,
    lost: Math.max(0, acknowledged - stored.named.events),
    doubled: Math.max(0, stored.named.events - acknowledged),
    neverSent: Math.max(0, stored.events - sent),
    answers: Object.fromEntries(
      Object.entries(result.statuses).flatMap(([status, count]) => (count > 0 ? [[wordOf(status), count]] : [])),
    ),
  });
  return { ...result, acceptedPerSecond: accepted / result.seconds };
}

function wordOf(status: string): string {
  return status === '0' ? 'none' : status;
}

testFault({
  name: 'five times the load that can be taken, for seconds',
  times: { short: 20, long: 60 },
  async run(context) {
    const { application } = await newFaultApplication(database.url);
    const closed = async (seconds: number): Promise<number> =>
      (await run(context, application, { seconds, uploads: 1_000 * seconds })).acceptedPerSecond;
    await closed(isLong ? 10 : 2);
    const most = await closed(isLong ? 10 : 2);
    const offered = { perSecond: most * timesCapacity, seconds: context.times, connections: mostConnections };
    const uploads = Math.ceil(most * context.times * 1.2) + 2 * mostConnections;
    const over = await run(context, application, { ...offered, uploads });
    context.injected(over.sent);
    const after = isLong ? await closed(10) : most;
    // Before and after it, since the machine may have become faster or slower meanwhile.
    const share = over.acceptedPerSecond / ((most + after) / 2);
    process.stdout.write(
      `closed loop ${most.toFixed(0)}/s, offered ${(over.sent / over.seconds).toFixed(0)}/s, accepted ${over.acceptedPerSecond.toFixed(0)}/s (${(share * 100).toFixed(0)} %), ` +
        `API at most ${peakMebibytes(service.pid)?.toFixed(0)} MiB\n`,
    );
    // Neither a reset nor a timeout, and no other status.
    const { 503: refused = 0, 0: cut = 0, ...others } = { ...over.statuses, 200: undefined };
    expect({ cut, others, withoutRetryAfter: over.withoutRetryAfter }).toEqual({
      cut: 0,
      others: { 200: undefined },
      withoutRetryAfter: 0,
    });
    expect(refused).toBeGreaterThan(0);
    // Its ledger must know all that is sent for an application, so it has another one.
    const own = await newFaultApplication(database.url);
    const afterwards = await context.trial({ ...own, databaseUrl: database.url, url: () => service.url });
    afterwards.load(1);
    await afterwards.recovered(10_000 * slack);
    if (isLong) expect(peakMebibytes(service.pid)).toBeLessThanOrEqual(memoryMebibytes);
    if (isLong) expect(share).toBeGreaterThanOrEqual(0.8);
    if (isLong) expect(after / most).toBeGreaterThanOrEqual(0.7);
  },
});
