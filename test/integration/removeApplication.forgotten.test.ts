// The housekeeping queues deletions again whose job is gone.
import { removalKey } from '../../src/workspace/removalJobs.ts';
import { queueForgottenRemovals } from '../../src/workspace/removalStore.ts';
import { lookAfter, minute, nextLook } from '../support/removal.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf } from '../support/testUsers.ts';
import type { TestApplication } from '../support/testWorkspace.ts';

let service: TestService;
let application: TestApplication;
beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  application = await service.newApplication();
});
afterAll(() => service.stop());

describe('a deletion without a job', () => {
  const age = (hours: number) =>
    service.database.prisma.application.update({
      where: { id: application.id },
      data: { deletedAt: new Date(Date.now() - hours * 60 * minute) },
    });
  const queued = async () => (await nextLook(service, application.id)) !== null;

  test('is queued again after two hours', async () => {
    const { pool } = service.database;
    await age(1);
    await queueForgottenRemovals(pool);
    expect(await queued()).toBe(false);
    await age(3);
    await queueForgottenRemovals(pool);
    expect(await queued()).toBe(true);
  });

  test('is not one whose job waits; one whose attempts are used up is', async () => {
    const { pool } = service.database;
    const admin = await newUser(service, await organizationOf(service, application.id), 'admin');
    await admin.ask(`mutation { applicationDelete(id: "${application.id}") }`);
    await age(3);
    const before = await nextLook(service, application.id);
    await queueForgottenRemovals(pool);
    expect(await nextLook(service, application.id)).toBe(before);
    await pool.query('UPDATE graphile_worker._private_jobs SET attempts = max_attempts WHERE key = $1', [
      removalKey(application.id),
    ]);
    await queueForgottenRemovals(pool);
    const { rows } = await pool.query('SELECT attempts FROM graphile_worker.jobs WHERE key = $1', [
      removalKey(application.id),
    ]);
    expect(rows).toEqual([{ attempts: 0 }]);
  });

  test('is not one that has been removed', async () => {
    await age(3);
    await lookAfter(service, application.id, 60 * minute);
    await queueForgottenRemovals(service.database.pool);
    expect(await queued()).toBe(false);
  });
});
