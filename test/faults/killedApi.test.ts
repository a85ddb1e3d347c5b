// SIGKILL ends the API while it stores uploads; then it starts again.
import { setTimeout as pause } from 'node:timers/promises';
import { clearAway, type RunningService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { newFaultApplication, startFaultService } from './support/faultService.ts';
import { testFault } from './support/scenario.ts';

let database: TestDatabase;
let service: RunningService;
beforeAll(async () => {
  database = await createTestDatabase();
  service = await startFaultService(database.url);
});
afterAll(async () => {
  await clearAway();
  await database.drop();
});

testFault({
  name: 'API killed with -9 in the middle of a batch',
  times: { short: 3, long: 50 },
  async run({ times, random, trial, injected }) {
    const target = { databaseUrl: database.url, url: () => service.url, mayBeCut: true };
    const steady = await trial({ ...target, ...(await newFaultApplication(database.url)) });
    steady.load(16, 0);
    for (let kill = 0; kill < times; kill++) {
      await steady.recovered();
      await pause(random.between(50, 400));
      // Sixteen senders without a pause: some batch is always under way, and its outcome is unknown.
      while (steady.ledger.unknown === 0) await pause(1);
      await service.end('SIGKILL');
      injected();
      service = await startFaultService(database.url);
    }
    await steady.recovered();
  },
});
