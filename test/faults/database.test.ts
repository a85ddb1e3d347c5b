// PostgreSQL is stopped, killed, cut off and blocked by a lock, and the service must survive all of it.
import { setTimeout as pause } from 'node:timers/promises';
import { clearAway, newDataDir, type RunningService } from '../support/serviceProcess.ts';
import { startFaultPostgres, type FaultPostgres } from './support/faultPostgres.ts';
import { newFaultApplication, startFaultService, withConnection } from './support/faultService.ts';
import { testFault, type FaultContext } from './support/scenario.ts';
import type { Trial } from './support/trial.ts';

const lockMillis = 10_000;
let postgres: FaultPostgres;
let service: RunningService;
let ended = false;
beforeAll(async () => {
  postgres = await startFaultPostgres(newDataDir());
  service = await startFaultService(postgres.url);
  void service.ended.then(() => (ended = true));
});
afterAll(async () => {
  await service.end('SIGKILL');
  await postgres.close();
  await clearAway();
});
afterEach(() => expect(ended).toBe(false));

/** A trial under load that has received its first 200. */
async function loaded({ trial }: FaultContext): Promise<Trial> {
  const target = { databaseUrl: postgres.url, url: () => service.url };
  const steady = await trial({ ...target, ...(await newFaultApplication(postgres.url)) });
  steady.load(8);
  await steady.recovered();
  return steady;
}

testFault({
  name: 'PostgreSQL stopped at once or killed with -9, and started again',
  times: { short: 2, long: 20 },
  async run(context) {
    const steady = await loaded(context);
    for (let stop = 0; stop < context.times; stop++) {
      await pause(context.random.between(100, 500));
      await (stop % 2 === 0 ? postgres.stopAtOnce() : postgres.kill());
      context.injected();
      await pause(context.random.between(100, 1_500));
      await postgres.start();
      await steady.recovered();
    }
  },
});

testFault({
  name: 'back-ends terminated every 200 ms, for seconds',
  times: { short: 5, long: 60 },
  async run(context) {
    const steady = await loaded(context);
    await withConnection(postgres.url, async (client) => {
      for (const end = Date.now() + context.times * 1_000; Date.now() < end; await pause(200)) {
        const { rows } = await client.query<{ terminated: boolean }>(`
          SELECT pg_terminate_backend(pid) AS terminated FROM pg_stat_activity
          WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
            AND application_name = 'campaign-analytics-backend'`);
        context.injected(rows.filter(({ terminated }) => terminated).length);
      }
    });
    await steady.recovered();
  },
});

testFault({
  name: 'a lock on sessions held for 10 s',
  times: { short: 1, long: 5 },
  async run(context) {
    const steady = await loaded(context);
    for (let held = 0; held < context.times; held++) {
      await withConnection(postgres.url, async (client) => {
        await client.query('BEGIN; LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE');
        await pause(lockMillis);
        await client.query('COMMIT');
      });
      context.injected();
      await steady.recovered();
    }
  },
});
