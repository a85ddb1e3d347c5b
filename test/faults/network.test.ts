// The network before and behind the API: lost replies after COMMIT, a distant database, and a silence without a reset.
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { clearAway, type RunningService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { newFaultApplication, startFaultService } from './support/faultService.ts';
import { slack } from './support/form.ts';
import { testFault, type FaultContext } from './support/scenario.ts';
import { startTcpProxy, type TcpProxy } from './support/tcpProxy.ts';
import type { Trial } from './support/trial.ts';

let database: TestDatabase;
/** Between the API and PostgreSQL. */
let behind: TcpProxy;
let service: RunningService;
/** Between the clients and the API. */
let before: TcpProxy;
let ended = false;
beforeAll(async () => {
  database = await createTestDatabase();
  behind = await startTcpProxy(database.url);
  service = await startFaultService(behind.through(database.url));
  before = await startTcpProxy(service.url);
  void service.ended.then(() => (ended = true));
});
afterEach(() => expect(ended).toBe(false));
afterAll(async () => {
  await clearAway();
  await before.close();
  await behind.close();
  await database.drop();
});

/** A trial under load that has received its first 200. */
async function loaded({ trial }: FaultContext, senders = 8, mayBeCut = false): Promise<Trial> {
  const url = () => before.through(service.url);
  const steady = await trial({
    ...(await newFaultApplication(database.url)),
    ...{ databaseUrl: database.url, url, mayBeCut },
  });
  if (senders === 0) return steady;
  steady.load(senders);
  await steady.recovered();
  return steady;
}

/** Loses the replies one by one, each at a random moment. */
async function loseReplies({ times, random, injected }: FaultContext, proxy: TcpProxy, text: string): Promise<void> {
  for (let lost = 0; lost < times; lost++) {
    await pause(random.between(0, 40));
    const before = proxy.lost();
    proxy.loseReplies(text, 1);
    await eventually(
      async () => proxy.lost(),
      (count) => count > before,
    );
    injected();
  }
}

testFault({
  name: 'reply lost after COMMIT: the 200 of the API',
  times: { short: 50, long: 300 },
  async run(context) {
    const steady = await loaded(context, 8, true);
    await loseReplies(context, before, 'HTTP/1.1 200 OK');
    before.restore();
    expect(steady.ledger.unknown).toBeGreaterThanOrEqual(context.times);
    await steady.recovered();
  },
});

/** PostgreSQL's CommandComplete message with its length. */
const committed = 'C\0\0\0\x0bCOMMIT\0';

testFault({
  name: 'reply lost after COMMIT: that of PostgreSQL',
  times: { short: 50, long: 300 },
  async run(context) {
    const steady = await loaded(context);
    await loseReplies(context, behind, committed);
    behind.restore();
    // The API does not know the outcome either, and responds accordingly.
    expect(steady.ledger.unknown).toBeGreaterThanOrEqual(context.times / 2);
    await steady.recovered();
  },
});

testFault({
  name: 'PostgreSQL farther by 100 ms each way',
  times: { short: 1, long: 5 },
  async run(context) {
    const steady = await loaded(context);
    for (let time = 0; time < context.times; time++) {
      behind.delay(100);
      context.injected();
      // PostgreSQL is slow, not absent: uploads are still acknowledged.
      await steady.recovered();
      await pause(2_000);
      behind.restore();
      await steady.recovered();
    }
  },
});

for (const [delay, seconds] of [
  [500, 5],
  [2_000, 8],
] as const) {
  testFault({
    name: `PostgreSQL farther by ${delay.toLocaleString('en-US')} ms each way`,
    times: { short: 1, long: 5 },
    async run(context) {
      const steady = await loaded(context);
      for (let time = 0; time < context.times; time++) {
        behind.delay(delay);
        context.injected();
        await pause(seconds * 1_000);
        behind.restore();
        await steady.recovered();
      }
    },
  });
}

/** No device's uploads still wait for the silent connections. */
async function wellAgain(steady: Trial): Promise<void> {
  const healedAt = Date.now();
  await steady.recovered();
  await pause(healedAt + 5_000 - Date.now());
  const refused = async (): Promise<unknown[]> => {
    const replies = await Promise.all(Array.from({ length: 40 }, () => steady.send()));
    return replies.map((reply) => reply?.status).filter((status) => status !== 200);
  };
  let last = await refused();
  while (last.length > 0 && Date.now() < healedAt + 5_000 * slack) last = await refused();
  expect(last).toEqual([]);
}

testFault({
  name: 'the network to PostgreSQL silent for seconds, without a reset',
  times: { short: 10, long: 30 },
  async run(context) {
    const steady = await loaded(context);
    behind.fallSilent();
    context.injected();
    await pause(context.times * 1_000);
    behind.restore();
    await wellAgain(steady);
  },
});

testFault({
  name: 'a silence of 2 s that only idle connections to PostgreSQL have met',
  times: { short: 1, long: 10 },
  async run(context) {
    const steady = await loaded(context, 0);
    for (let time = 0; time < context.times; time++) {
      await Promise.all(Array.from({ length: 40 }, () => steady.send()));
      behind.fallSilent();
      context.injected();
      await pause(2_000);
      behind.restore();
      if (time === 0) steady.load(1);
      await wellAgain(steady);
    }
  },
});
