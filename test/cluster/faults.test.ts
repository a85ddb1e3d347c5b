// Workers of a Citus cluster cut their connections under load: every acknowledged event must be stored once, on every node.
import { setTimeout as pause } from 'node:timers/promises';
import { newFaultApplication, startFaultService, withConnection } from '../faults/support/faultService.ts';
import { testFault } from '../faults/support/scenario.ts';
import { allDecided, citusWorkers } from '../support/citusCluster.ts';
import { eventually } from '../support/eventually.ts';
import { clearAway, type RunningService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { databaseUrl } from '../support/testPostgres.ts';

let database: TestDatabase;
let service: RunningService;
beforeAll(async () => {
  database = await createTestDatabase();
  service = await startFaultService(database.url);
});
afterAll(async () => {
  await service.end('SIGKILL');
  await clearAway();
  await database.drop();
});

const workers = (): string[] =>
  citusWorkers.map((worker) => databaseUrl(worker, new URL(database.url).pathname.slice(1)));

async function terminateBackends(worker: string): Promise<number> {
  const { rowCount } = await withConnection(worker, (client) =>
    client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`),
  );
  return rowCount ?? 0;
}

testFault({
  name: 'Citus: back-ends of all workers terminated every 200 ms, for seconds',
  times: { short: 5, long: 60 },
  async run(context) {
    const url = () => service.url;
    const steady = await context.trial({
      databaseUrl: database.url,
      url,
      ...(await newFaultApplication(database.url)),
    });
    steady.load(8);
    await steady.recovered();
    for (const end = Date.now() + context.times * 1_000; Date.now() < end; await pause(200)) {
      for (const worker of workers()) context.injected(await terminateBackends(worker));
    }
    await eventually(() => allDecided(database.url), Boolean);
    await steady.wellAgain();
    await steady.stop();
    await eventually(() => allDecided(database.url), Boolean);
  },
});
