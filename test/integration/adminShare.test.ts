// The admin API uses only its share of the pool: uploads find a connection whatever dashboards ask for.
import { holdLock } from '../support/heldLock.ts';
import { sendReport } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf } from '../support/testUsers.ts';
import { aReport } from '../support/uploads.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('uploads are stored at once while a crowd of admin operations waits for the database', async () => {
  const viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
  await sendReport(service, aReport());
  const lock = await holdLock(service.database.pool, 'LOCK TABLE organizations IN ACCESS EXCLUSIVE MODE');
  let answered = 0;
  const crowd = Promise.all(
    Array.from({ length: 30 }, async () => {
      const answer = await viewer.ask('{ organization { name } }');
      answered += 1;
      return answer;
    }),
  );
  try {
    // The admin API uses four of the pool's ten connections; one more holds the lock.
    await lock.waiting(4);
    await Promise.all(Array.from({ length: 20 }, () => sendReport(service, aReport())));
    expect(answered).toBe(0);
  } finally {
    await lock.release();
  }
  const answers = await crowd;
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await viewer.ask('{ organization { name } }')).errors).toEqual([]);
});
