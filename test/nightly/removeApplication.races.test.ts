// The removal against uploads that were accepted before the deletion and are still being stored: after the last look nothing of them is left.
import { inTransaction, type PipelinedTransaction } from '../../src/platform/database/transaction.ts';
import { sessionRows, type Upload } from '../../src/sessions/upload.ts';
import { storeUploads } from '../../src/sessions/writer/storeBatch.ts';
import { deviceRows, upsertDevices, upsertSessions } from '../../src/sessions/writer/uploadsStore.ts';
import { waitingForLocks } from '../support/heldLock.ts';
import { leftOf, lookAfter, minute, rowsOf } from '../support/removal.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import type { TestApplication } from '../support/testWorkspace.ts';
import { aReport, aSession, type SessionReport } from '../support/uploads.ts';

let service: TestService;
let application: TestApplication;
beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  application = await service.newApplication();
});
afterAll(() => service.stop());

const uploadOf = (report: SessionReport): Upload => ({
  ...sessionRows(report, { applicationId: application.id, stateAt: 1_789_000_000 }),
  nonce: null,
});
const store = (report: SessionReport) =>
  inTransaction(service.database.pool, (transaction) => storeUploads(transaction, [uploadOf(report)]));
const remove = () =>
  service.database.prisma.application.update({ where: { id: application.id }, data: { deletedAt: new Date() } });

/** Of one that is open already, and whose COMMIT is the test's. */
const uncommitted = (transaction: PipelinedTransaction): PipelinedTransaction => {
  const pipelined: PipelinedTransaction['pipelined'] = (ask) => transaction.pipelined(ask);
  const rollBack = () => Promise.reject(new Error('no nonce is reused here'));
  return { pipelined, pipelinedToCommit: pipelined, rollBack } as unknown as PipelinedTransaction;
};

/** A transaction that stands still after its work until it is let go. */
async function heldOpen(work: (transaction: PipelinedTransaction) => Promise<unknown>): Promise<() => Promise<void>> {
  let letGo = (): void => undefined;
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  let reached = (): void => undefined;
  const worked = new Promise<void>((resolve) => (reached = resolve));
  const committed = inTransaction(service.database.pool, async (transaction) => {
    await work(transaction);
    reached();
    await gate;
  });
  await Promise.race([worked, committed]);
  return async () => {
    letGo();
    await committed;
  };
}

const orphans = async () => {
  const { rows } = await service.database.pool.query<{ events: number; sessions: number }>(
    `SELECT (SELECT count(*)::integer FROM events e WHERE application_id = $1
        AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.device_key = e.device_key AND s.ref = e.session_ref)) AS events,
      (SELECT count(*)::integer FROM sessions s WHERE application_id = $1
        AND NOT EXISTS (SELECT 1 FROM devices d WHERE d.key = s.device_key)) AS sessions`,
    [application.id],
  );
  return rows[0];
};

async function expectAllGone(): Promise<void> {
  expect(await orphans()).toEqual({ events: 0, sessions: 0 });
  await lookAfter(service, application.id, 60 * minute);
  expect(await leftOf(service, application.id)).toEqual({});
}

test('an upload that commits after the first look is found by the last one', async () => {
  await store(aReport());
  await remove();
  const commit = await heldOpen((transaction) => storeUploads(uncommitted(transaction), [uploadOf(aReport())]));
  await lookAfter(service, application.id, minute);
  expect(await leftOf(service, application.id)).toEqual({});
  await commit();
  expect(await rowsOf(service, application.id)).toMatchObject({ devices: 1, sessions: 1, events: 1 });
  await expectAllGone();
});

test('an upload of a known session holds the look up until it has committed, and its events go too', async () => {
  const report = aReport();
  await store(report);
  await remove();
  const again = { ...report, sessions: [aSession({ id: report.sessions[0]!.id })] };
  const commit = await heldOpen((transaction) => storeUploads(uncommitted(transaction), [uploadOf(again)]));
  const look = lookAfter(service, application.id, minute);
  await waitingForLocks(service.database.pool, 1);
  await commit();
  await look;
  expect(await leftOf(service, application.id)).toEqual({});
  await expectAllGone();
});

test('a new session of a known device is not left without its device', async () => {
  const report = aReport();
  await store(report);
  await remove();
  const commit = await heldOpen((transaction) =>
    storeUploads(uncommitted(transaction), [uploadOf({ ...report, sessions: [aSession()] })]),
  );
  const look = lookAfter(service, application.id, minute);
  await waitingForLocks(service.database.pool, 1);
  await commit();
  await look;
  await expectAllGone();
});

test('a device that is removed between the two halves of an upload is made anew', async () => {
  const report = aReport();
  await store(report);
  await remove();
  const late = uploadOf({ ...report, sessions: [aSession()] });
  // As far as the sessions: their rows are not to be seen yet, and the device is not locked yet.
  let held: PipelinedTransaction | undefined;
  const commit = await heldOpen(async (transaction) => {
    held = transaction;
    await upsertSessions(transaction, late.sessions);
  });
  await lookAfter(service, application.id, minute);
  expect(await leftOf(service, application.id)).toEqual({});
  await upsertDevices(held!, deviceRows([late.device], null));
  await commit();
  expect(await rowsOf(service, application.id)).toMatchObject({ devices: 1, sessions: 1 });
  await expectAllGone();
});

test('uploads that go on all the time while it is removed leave nothing behind', async () => {
  const reports = Array.from({ length: 8 }, () => aReport());
  let stored = 0;
  let over = false;
  const senders = reports.map(async (report) => {
    while (!over) {
      const sessions = [report.sessions[0]!, aSession()];
      // On a deadlock with the removal the upload is retried, as the writer does.
      await store({ ...report, sessions }).then(
        () => (stored += 1),
        () => undefined,
      );
    }
  });
  while (stored < 40) await new Promise((resolve) => setTimeout(resolve, 10));
  await remove();
  const until = Date.now() + 1_500;
  while (Date.now() < until || stored <= 60) {
    await Promise.race([
      lookAfter(service, application.id, minute).catch(() => undefined),
      new Promise((resolve) => setTimeout(resolve, 500)),
    ]);
  }
  over = true;
  await Promise.all(senders);
  expect(await orphans()).toEqual({ events: 0, sessions: 0 });
  expect(stored).toBeGreaterThan(60);
  await lookAfter(service, application.id, 60 * minute);
  expect(await leftOf(service, application.id)).toEqual({});
});
