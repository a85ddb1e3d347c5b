// Another process sends five times the service's capacity: the service keeps working and refuses the rest cleanly.
import { startNodeLoad } from '../bench/ingest/load/nodeLoad.ts';
import type { LoadGenerator, LoadPlan, LoadResult } from '../bench/ingest/load/plan.ts';
import { peakMebibytes } from '../bench/ingest/measure/processUsage.ts';
import { median } from '../bench/ingest/measure/statistics.ts';
import { countNamed } from '../bench/ingest/measure/storedRows.ts';
import { eventsOf, shapes } from '../bench/ingest/shapes.ts';
import { withClient } from '../bench/ingest/targets/benchDatabase.ts';
import { clearAway, type RunningService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import type { TestApplication } from '../support/testWorkspace.ts';
import { newFaultApplication, startFaultService } from './support/faultService.ts';
import { isLong, slack } from './support/form.ts';
import { type FaultContext, testFault } from './support/scenario.ts';

describe('overload', () => {
  const timeout = 600_000;
  const memoryMebibytes = 512;
  const timesCapacity = 5;
  const mostConnections = 1_000;
  /** As in every fault: the service refuses an upload that it cannot store within 5 s. */
  const longestWaitMillis = 5_500;
  /**
   * The upload of an SDK after a long outage of its own network: the collected sessions, signed, and compressed because
   * the body exceeds 1,024 bytes (openapi.yaml, "Recommended settings").
   */
  const shape = shapes.find(({ name }) => name === '5x40')!;
  let database: TestDatabase;
  let service: RunningService;
  let load: LoadGenerator;
  let ended = false;
  beforeAll(async () => {
    database = await createTestDatabase();
    service = await startFaultService(database.url, {
      SESSION_SIGNATURE: 'optional',
      // A generator that shares the machine with other tests may not fill a queue of the usual length.
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

  /** Uses a connection without the service's timeout: the long form stores many millions of events. */
  function countEvents(): Promise<number> {
    return withClient(database.url, async (client) => {
      const { rows } = await client.query<{ count: string }>('SELECT count(*) AS count FROM events');
      return Number(rows[0]!.count);
    });
  }

  /** Runs one phase of load, and compares everything acknowledged with the database. */
  async function run(context: FaultContext, { key }: TestApplication, plan: Partial<LoadPlan>): Promise<Phase> {
    const series = {
      signed: true,
      gzip: true,
      cycle: false,
      seed: context.random.between(1, 1e9),
      name: `overload-${context.times}`,
    };
    const target = { urls: [service.url], key, shape, connections: 64, seconds: 2, uploads: 4_000 };
    const prepared = await load.prepare({ ...series, ...target, ...plan });
    const before = await countEvents();
    const result = await prepared.run();
    const accepted = result.statuses[200] ?? 0;
    // Counts rows, because each node of a cluster has its own transaction numbers.
    const stored = (await countEvents()) - before;
    const named = await withClient(database.url, (client) => countNamed(client, result.acknowledged!));
    const [acknowledged, sent] = [accepted * eventsOf(shape), result.sent * eventsOf(shape)];
    context.add({
      acknowledged,
      lost: Math.max(0, acknowledged - named.events),
      doubled: Math.max(0, named.events - acknowledged),
      neverSent: Math.max(0, stored - sent),
      responses: responsesOf(result),
    });
    return { ...result, acceptedPerSecond: accepted / result.seconds };
  }

  function responsesOf({
    statuses: { 0: broken = 0, ...statuses },
    unserved: unservedOf,
  }: LoadResult): Record<string, number> {
    const none = broken + unservedOf;
    return none > 0 ? { ...statuses, none } : statuses;
  }

  /** No reset, no timeout and no other status: every refusal is a 503 with Retry-After, within the time limit. */
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

  /** Many short rounds, because the machine's speed changes within a minute. */
  const rounds = isLong ? 8 : 1;
  const closedSeconds = isLong ? 4 : 2;

  testFault({
    name: 'five times the load that can be taken, for seconds',
    times: { short: 20, long: 60 },
    async run(context) {
      const { application } = await newFaultApplication(database.url);
      const plan = { seconds: closedSeconds, uploads: 1_000 * closedSeconds };
      const closed = async (): Promise<number> => (await run(context, application, plan)).acceptedPerSecond;
      const [first, second] = [await closed(), await closed()];
      // A pause of a busy machine would make five times of it less than the service takes.
      const most = [isLong ? second : Math.max(first, second)];
      const over: number[] = [];
      for (const seconds = context.times / rounds; over.length < rounds; most.push(await closed())) {
        const perSecond = most.at(-1)! * timesCapacity;
        const uploads = Math.ceil(most.at(-1)! * seconds * 1.2) + 2 * mostConnections;
        const phase = await run(context, application, { perSecond, seconds, uploads, connections: mostConnections });
        context.injected(phase.sent);
        over.push(phase.acceptedPerSecond);
        const offered = (phase.sent / seconds).toFixed(0);
        say(
          `closed loop ${most.at(-1)!.toFixed(0)}/s, offered ${offered}/s, slowest ${phase.slowestMillis.toFixed(0)} ms`,
        );
        if (isLong) expect(phase.sent / phase.due).toBeGreaterThan(0.9);
        expectCleanRefusals(phase);
        // The trial has an application of its own, because its ledger must know every upload of an application.
        const own = await newFaultApplication(database.url);
        const afterwards = await context.trial({ ...own, databaseUrl: database.url, url: () => service.url });
        afterwards.load(1);
        await afterwards.recovered(10_000 * slack);
        await afterwards.stop();
      }
      // Compares with the rates before and after each round, because a shared machine changes its speed.
      const shares = over.map((rate, round) => rate / ((most[round]! + most[round + 1]!) / 2));
      const peak = peakMebibytes(service.pid)!;
      say(
        `accepted of it: ${shares.map((share) => `${(share * 100).toFixed(0)} %`).join(', ')}, at most ${peak.toFixed(0)} MiB`,
      );
      if (!isLong) return;
      expect(peak).toBeLessThanOrEqual(memoryMebibytes);
      expect(median(shares)).toBeGreaterThanOrEqual(0.8);
      expect(median(most.slice(1)) / most[0]!).toBeGreaterThanOrEqual(0.7);
    },
  });

  function say(line: string): void {
    process.stdout.write(`${line}\n`);
  }
});

// Without a proxy another process sends five times the capacity in small uploads: each request gets its response in time, and the rate comes back.
describe('overloadSmall', () => {
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
    const { 0: broken = 0, ...responses } = result.statuses;
    context.add({
      acknowledged,
      lost: Math.max(0, acknowledged - named.events),
      doubled: Math.max(0, named.events - acknowledged),
      responses: { ...responses, none: broken + result.unserved },
    });
    return { ...result, acceptedPerSecond: accepted / result.seconds };
  }

  /** Also of the connections that are closed after their 503: the generator opens new ones. */
  function expectResponses({ statuses, unserved, withoutRetryAfter, slowestMillis }: Phase): void {
    const { 200: accepted = 0, 503: refused = 0, ...others } = statuses;
    expect({ others, unserved, withoutRetryAfter }).toEqual({
      others: {},
      unserved: 0,
      withoutRetryAfter: 0,
    });
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
});
