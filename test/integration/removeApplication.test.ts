// The removal of deleted applications: all their rows are removed, in small steps that may stop anywhere, and no rows of others.
import { removeApplication } from '../../src/jobs/removeApplication.ts';
import { createTasks, type TaskDeps } from '../../src/jobs/tasks.ts';
import { removalKey } from '../../src/workspace/removalJobs.ts';
import { auditLines } from '../support/auditLines.ts';
import { withinASecond } from '../support/campaigns.ts';
import { citusWorkers } from '../support/citusCluster.ts';
import { eventually } from '../support/eventually.ts';
import { startMailWorker } from '../support/mail.ts';
import { besides, fillApplication, leftOf, lookAfter, minute, nextLook, rowsOf } from '../support/removal.ts';
import { statementsOf, watchingStatements } from '../support/statements.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';
import type { TestApplication } from '../support/testWorkspace.ts';
import { anEvent, aReport, aSession } from '../support/uploads.ts';

let service: TestService;
let application: TestApplication;
let admin: TestUser;
beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  application = await service.newApplication();
  admin = await newUser(service, await organizationOf(service, application.id), 'admin');
});
afterAll(() => service.stop());

async function remove(user = admin, id = application.id): Promise<void> {
  expect((await user.ask(`mutation { applicationDelete(id: "${id}") }`)).data).toEqual({ applicationDelete: true });
}
const row = () => service.database.prisma.application.findUniqueOrThrow({ where: { id: application.id } });
async function belowCampaign(campaignId: string): Promise<number[]> {
  const { prisma } = service.database;
  const where = { campaignId };
  return [await prisma.campaignCount.count({ where }), await prisma.campaignVersion.count({ where })];
}
const send = (report: object) => service.client.send('reportSessions', { 'X-Api-Key': application.key.public }, report);

test('everything goes, and what stays is an empty row with public keys; other applications keep all of theirs', async () => {
  const other = await service.newApplication();
  const { campaign } = await fillApplication(service, application);
  await fillApplication(service, other);
  expect(await belowCampaign(campaign)).toEqual([1, 1]);
  const filled = await rowsOf(service, application.id);
  // A new table with an application_id fails here: fill it in fillApplication, and remove its rows.
  expect(Object.entries(filled).filter(([, count]) => count === 0)).toEqual([]);
  expect(Object.keys(filled)).toEqual(
    expect.arrayContaining([...Object.keys(besides), 'events', 'sessions', 'campaigns']),
  );
  const others = await rowsOf(service, other.id);
  await remove();
  expect(await nextLook(service, application.id)).toBe(minute);
  await lookAfter(service, application.id, minute);
  expect(await leftOf(service, application.id)).toEqual({ campaigns: 1 });
  expect([await nextLook(service, application.id), (await row()).removedAt]).toEqual([60 * minute, null]);
  await lookAfter(service, application.id, 60 * minute);
  expect(await leftOf(service, application.id)).toEqual({});
  expect(await belowCampaign(campaign)).toEqual([0, 0]);
  expect(await row()).toMatchObject({ name: '', bundleId: '', image: '', removedAt: expect.any(Date) as Date });
  const keys = await service.database.prisma.apiKey.findMany({ where: { applicationId: application.id } });
  expect(keys).toEqual([
    expect.objectContaining({ public: application.key.public, secretEncrypted: new Uint8Array() }),
  ]);
  expect(await rowsOf(service, other.id)).toEqual(others);
  expect(await auditLines(service, admin.organizationId)).toHaveLength(1);
});

test('secrets go with the first look, and what people wrote about a key', async () => {
  await fillApplication(service, application);
  const { prisma } = service.database;
  const written = { label: 'of Ann', createdBy: 'ann@example.com' };
  await prisma.apiKey.updateMany({ where: { applicationId: application.id }, data: written });
  await remove();
  await lookAfter(service, application.id, minute);
  expect(await prisma.storeCredentials.count({ where: { applicationId: application.id } })).toBe(0);
  const [key] = await prisma.apiKey.findMany({ where: { applicationId: application.id } });
  expect(key!.secretEncrypted).toHaveLength(0);
  expect(key).toMatchObject({ label: null, createdBy: null });
});

test('a removed application is no application: its key is 404, and a look more does nothing', async () => {
  await fillApplication(service, application);
  await remove();
  await lookAfter(service, application.id, 60 * minute);
  await withinASecond(async () => (await send(aReport())).status === 404);
  expect(await statementsOf(() => lookAfter(service, application.id, 61 * minute))).toHaveLength(2);
});

test('an application that is not deleted is left alone', async () => {
  await fillApplication(service, application);
  const before = await rowsOf(service, application.id);
  const { pool } = service.database;
  const { log } = service.deps;
  await removeApplication({ applicationId: application.id }, { pool, log, now: () => new Date() }, AbortSignal.abort());
  expect(await rowsOf(service, application.id)).toEqual(before);
});

test("a project's deletion queues the removal of each of its applications and empties its own row", async () => {
  const { projectId } = await row();
  const { data } = await admin.ask(
    `mutation { applicationEdit(input: { projectId: "${projectId}", name: "A", bundleId: "b", platform: "iOS" }) { id } }`,
  );
  const { id } = data!['applicationEdit'] as { id: string };
  await admin.ask(`mutation { projectDelete(id: "${projectId}") }`);
  expect([await nextLook(service, application.id), await nextLook(service, id)]).toEqual([minute, minute]);
  const project = await service.database.prisma.project.findUniqueOrThrow({ where: { id: projectId } });
  expect(project).toMatchObject({ name: '', image: null, deletedAt: expect.any(Date) as Date });
});

test('a deletion that is refused, or cannot be recorded, queues nothing', async () => {
  const stranger = await newUser(service, await organizationOf(service, (await service.newApplication()).id), 'admin');
  await stranger.ask(`mutation { applicationDelete(id: "${application.id}") }`);
  const { pool } = service.database;
  const queued = async () =>
    (await pool.query('SELECT FROM graphile_worker.jobs WHERE key LIKE $1', [`%${application.id}`])).rowCount;
  expect(await queued()).toBe(0);
  await pool.query('ALTER TABLE audit_entries ADD CONSTRAINT broken CHECK (false) NOT VALID');
  const { codes } = await admin
    .ask(`mutation { applicationDelete(id: "${application.id}") }`)
    .finally(() => pool.query('ALTER TABLE audit_entries DROP CONSTRAINT broken'));
  expect([codes, await queued()]).toEqual([['INTERNAL_SERVER_ERROR'], 0]);
});

test('more than a batch goes too: many events of one session, sessions of one device, and devices', async () => {
  const session = aSession();
  const device = aReport().device;
  for (let index = 0; index < 3; index += 1) {
    const events = Array.from({ length: 2_500 }, () => anEvent({ params: [] }));
    await send(aReport({ device, sessions: [{ ...session, events }] }));
  }
  await send(aReport({ device, sessions: Array.from({ length: 300 }, () => aSession({ events: [] })) }));
  await Promise.all(Array.from({ length: 150 }, () => send(aReport())));
  await service.database.pool.query(
    `INSERT INTO attribution_reports (device_key, body_hash, application_id, device_id, os_version)
     SELECT gen_random_uuid(), '', $1, i::text, '1' FROM generate_series(1, 1500) i`,
    [application.id],
  );
  await service.database.pool.query(
    `INSERT INTO ingest_issues (application_id, day, line, operation, status, reason, path, count, first_at, last_at, sample_path, sample_message)
     SELECT $1, now()::date, i::text, 'reportSessions', 422, 'type', '', 1, now(), now(), '', '' FROM generate_series(1, 1500) i`,
    [application.id],
  );
  await service.database.pool.query(
    `INSERT INTO store_transactions (id, application_id) SELECT i::text, $1 FROM generate_series(1, 1500) i`,
    [application.id],
  );
  await remove();
  await lookAfter(service, application.id, minute);
  expect(await leftOf(service, application.id)).toEqual({});
});

test('each step is a transaction of its own, after which a turn can end; the next job goes on from there', async () => {
  const { pool } = service.database;
  await Promise.all(Array.from({ length: 120 }, () => send(aReport())));
  await remove();
  const { deletedAt } = await row();
  let sessions = (await rowsOf(service, application.id))['sessions']!;
  // By this clock, every step takes longer than a turn.
  let passed = minute;
  const now = () => new Date(deletedAt!.getTime() + (passed += 61_000));
  let turns = 0;
  for (; Object.keys(await leftOf(service, application.id)).length > 0; turns += 1) {
    await removeApplication(
      { applicationId: application.id },
      { pool, log: service.deps.log, now },
      new AbortController().signal,
    );
    const left = await rowsOf(service, application.id);
    expect(left['sessions']).toBeLessThanOrEqual(sessions);
    sessions = left['sessions']!;
    expect(await nextLook(service, application.id)).not.toBeNull();
  }
  // Sessions and devices of the first hundred, then of the rest: four turns. A cluster may find another hundred at each
  // step.
  expect(turns).toBeGreaterThanOrEqual(4);
  expect(turns).toBeLessThanOrEqual(citusWorkers.length > 0 ? 12 : 4);
});

test('a worker that is told to stop ends after its step, and the rest stays queued for now', async () => {
  const { pool } = service.database;
  await fillApplication(service, application);
  await remove();
  const tasks = createTasks({ pool, log: service.deps.log, now: () => new Date() } as TaskDeps);
  const stopped = { abortSignal: AbortSignal.abort(), job: {} as never };
  await tasks.removeApplication({ applicationId: application.id }, stopped);
  expect((await leftOf(service, application.id))['devices']).toBe(1);
  expect(await nextLook(service, application.id)).toBeLessThan(minute);
});

test('two workers at once do no harm', async () => {
  await Promise.all(Array.from({ length: 30 }, () => send(aReport())));
  await fillApplication(service, application);
  await remove();
  await Promise.all([1, 2, 3].map(() => lookAfter(service, application.id, 60 * minute)));
  expect(await leftOf(service, application.id)).toEqual({});
});

test('a step that fails leaves nothing half done, and the next run goes on', async () => {
  await fillApplication(service, application);
  await remove();
  const before = await rowsOf(service, application.id);
  const cutOff = (text: string): void => {
    if (text.startsWith('/* sessions: deleteSessions */')) throw new Error('cut off');
  };
  const look = watchingStatements(cutOff, () => lookAfter(service, application.id, minute));
  await expect(look).rejects.toThrow('cut off');
  const { events, sessions, devices } = await rowsOf(service, application.id);
  expect({ events, sessions, devices }).toEqual({ events: before['events'], sessions: 2, devices: 1 });
  await lookAfter(service, application.id, minute);
  expect(await leftOf(service, application.id)).toEqual({ campaigns: 1 });
});

test('the worker runs it when its time has come', async () => {
  const { pool } = service.database;
  await fillApplication(service, application);
  await remove();
  await pool.query('UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key = $1', [
    removalKey(application.id),
  ]);
  const stop = await startMailWorker(service, {});
  await eventually(
    () => nextLook(service, application.id),
    (look) => look === 60 * minute,
  );
  expect(await leftOf(service, application.id)).toEqual({ campaigns: 1 });
  await stop();
});
