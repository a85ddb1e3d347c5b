// Without a proxy another process sends five times the capacity in small uploads: each request gets its response in time, and the rate comes back.
import { startNodeLoad } from '../bench/ingest/load/nodeLoad.ts';
import type { LoadGenerator, LoadPlan, LoadResult } from '../bench/ingest/load/plan.ts';
import { median } from '../bench/ingest/measure/statistics.ts';
import { countNamed } from '../bench/ingest/measure/storedRows.ts';
import { eventsOf, shapes } from '../bench/ingest/shapes.ts';
import { withClient } from '../bench/ingest/targets/benchDatabase.ts';
import { clearAway, type RunningService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import type { TestApplication } from '../support/testWorkspace.ts';
import { newFaultApplication, startFaultService } from './support/faultService.ts';
import { isLong } from './support/form.ts';
import { testFault, type FaultContext } from './support/scenario.ts';

const timesCapacity = 5;
/** A refusal costs a fifth of a small upload, and comes four times. */
const shape = shapes.find(({ name }) => name === '1x10')!;
/** Of each 503 and 200. Beside other tests the processes may have a tenth of the cores that they have alone. */
const longestWaitMillis = isLong ? 2_000 : 20_000;
/** Within five seconds of the flood the rate is back: the phase afterwards begins at once, and is shorter. */
const closedSeconds = isLong ? 4 : 2;
const openSeconds = isLong ? 10 : 3;
const connections = isLong ? 2_000 : 500;
/** Bounds the preparation, whatever the closed loop measured: refused uploads are sent again. */
const mostUploads = 60_000;

let database: TestDatabase;
let service: RunningService;
let load: LoadGenerator;
beforeAll(async () => {
  database = await createTestDatabase();
  service = await startFaultService(database.url, { SESSION_SIGNATURE: 'optional' });
  load = startNodeLoad();
});
afterAll(async () => {
  await load?.stop();
  await clearAway();
  await database?.drop();
});

interface Phase extends LoadResult {
  acceptedPerSecond: number;
}

async function run(context: FaultContext, { key }: TestApplication, plan: Partial<LoadPlan>): Promise<Phase> {
  const series = { signed: true, cycle: false, seed: context.random.between(1, 1e9), name: 'overload-small' };
  const target = { urls: [service.url], key, shape, connections: 64, seconds: closedSeconds };
  const prepared = await load.prepare({ ...series, ...target, uploads: 10_000 * closedSeconds, ...plan });
  const result = await prepared.run();
  const accepted = result.statuses[200] ?? 0;
  const named = await withClient(database.url, (client) => countNamed(client, result.acknowledged!));
  const acknowledged = accepted * eventsOf(shape);
  const { 0: broken = 0, ...answers } = result.statuses;
  context.add({
    acknowledged,
    lost: Math.max(0, acknowledged - named.events),
    doubled: Math.max(0, named.events - acknowledged),
    answers: { ...answers, none: broken + result.unanswered },
  });
  return { ...result, acceptedPerSecond: accepted / result.seconds };
}

/** Also of the connections that are closed after their 503: the generator opens new ones. */
function expectResponses({ statuses, unanswered, withoutRetryAfter, slowestMillis }: Phase): void {
  const { 200: accepted = 0, 503: refused = 0, ...others } = statuses;
  expect({ others, unanswered, withoutRetryAfter }).toEqual({ others: {}, unanswered: 0, withoutRetryAfter: 0 });
  expect(accepted).toBeGreaterThan(0);
  // Beside other tests the generator may send less than the service can store.
  if (isLong) expect(refused).toBeGreaterThan(0);
  expect(slowestMillis).toBeLessThanOrEqual(longestWaitMillis);
}

/** The connections of a flood stand already, or come with it: the loop accepts one in each round. */
const floods = { 'on standing connections': connections, 'on new connections': 64 };

for (const [name, firstConnections] of Object.entries(floods)) {
  testFault({
    name: `five times the load in small uploads, ${name}`,
    times: { short: 1, long: 3 },
    async run(context) {
      const { application } = await newFaultApplication(database.url);
      const closed = async (): Promise<number> => (await run(context, application, {})).acceptedPerSecond;
      const [first, second] = [await closed(), await closed()];
      // A pause of a busy machine would make five times of it less than the service takes.
      const most = [isLong ? second : Math.max(first, second)];
      const shares: number[] = [];
      for (; shares.length < context.times; most.push(await closed())) {
        const perSecond = most.at(-1)! * timesCapacity;
        const uploads = Math.min(mostUploads, Math.ceil(most.at(-1)! * openSeconds * 1.2) + 2 * connections);
        const open = { perSecond, seconds: openSeconds, uploads, connections, firstConnections };
        const phase = await run(context, application, open);
        context.injected(phase.sent);
        shares.push(phase.acceptedPerSecond / most.at(-1)!);
        say(
          `closed loop ${most.at(-1)!.toFixed(0)}/s, accepted ${phase.acceptedPerSecond.toFixed(0)}/s of ` +
            `${(phase.sent / openSeconds).toFixed(0)}/s, slowest ${phase.slowestMillis.toFixed(0)} ms`,
        );
        expectResponses(phase);
      }
      say(`accepted ${name}: ${shares.map((share) => `${(share * 100).toFixed(0)} %`).join(', ')}`);
      if (!isLong) return;
      // Before refused connections took turns: 6 to 27 % on quiet cores.
      expect(median(shares)).toBeGreaterThanOrEqual(0.3);
      expect(median(most.slice(1)) / most[0]!).toBeGreaterThanOrEqual(0.7);
    },
  });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
