// Uploads that share a transaction: what is kept of each is what it would be alone, whoever stands beside it.
import { randomBytes } from 'node:crypto';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { sessionRows } from '../../src/sessions/sessionRows.ts';
import { storeUploads } from '../../src/sessions/writer/storeUploads.ts';
import type { Upload } from '../../src/sessions/upload.ts';
import { testOnOneNode } from '../support/citusCluster.ts';
import { countsOf, storedRows } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { createCampaign } from '../support/testWorkspace.ts';
import { aDevice, anEvent, aReport, aSession, type SessionEvent, type SessionReport } from '../support/uploads.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const now = 1_789_000_000;
const store = (...uploads: Upload[]) =>
  inTransaction(service.database.pool, (transaction) => storeUploads(transaction, uploads));

function uploadOf(report: SessionReport, { stateAt = now, applicationId = service.application.id } = {}): Upload {
  return { ...sessionRows(report, { applicationId, stateAt }), nonce: null };
}

const property = (name: string, value: string) => ({ name, value });
const system = (name: string, params: SessionEvent['params']) => anEvent({ type: 'system', name, params });
const propertiesOf = async (report: SessionReport) => (await storedRows(service, report)).device!.userProperties;

test('an event that comes twice is stored once, as it came first', async () => {
  const [first, session] = [anEvent(), aSession()];
  const report = aReport({ sessions: [{ ...session, events: [first] }] });
  const again = { ...report, sessions: [{ ...session, events: [{ ...first, name: 'Changed' }] }] };
  expect(await store(uploadOf(report), uploadOf(again))).toMatchObject({ eventsInserted: 1 });
  expect((await storedRows(service, report)).events.map(({ name }) => name)).toEqual([first.name]);
});

test('events of two devices whose sessions have one id stay with their own', async () => {
  const reports = [aReport(), aReport()].map((report) => ({ ...report, sessions: [aSession({ id: 'shared' })] }));
  await store(...reports.map((report) => uploadOf(report)));
  for (const report of reports) {
    const { sessions, events } = await storedRows(service, report);
    expect(events.map(({ sessionRef }) => sessionRef)).toEqual(sessions.map(({ ref }) => ref));
  }
});

test('one nonce under two applications is a nonce of each', async () => {
  const applications = [service.application.id, (await service.newApplication()).id];
  const uploads = applications.map((applicationId, at) => ({
    ...uploadOf(aReport(), { applicationId }),
    nonce: { applicationId, nonce: 'AAECAwQFBgcICQoLDA0ODw', bodyHash: Buffer.alloc(32, at) },
  }));
  expect(await store(...uploads)).toMatchObject({ outcomes: ['stored', 'stored'], eventsInserted: 2 });
});

test.each(['before', 'after'])(
  'an application that names the campaign of another one counts nothing: %s it',
  async (place) => {
    const campaignId = await createCampaign(service.database.prisma, service.application.id);
    const events = () => [system('CampaignShown', [property('campaignId', campaignId)])];
    const shown = () => aReport({ sessions: [aSession({ events: events() })] });
    const both = [uploadOf(shown()), uploadOf(shown(), { applicationId: (await service.newApplication()).id })];
    await store(...(place === 'after' ? both : both.reverse()));
    expect(await countsOf(service, campaignId)).toEqual({ shown: 1 });
  },
);

test('what a device has set in two uploads is applied in the order of their states, not of their arrival', async () => {
  const device = aDevice();
  const delta = (...properties: ReturnType<typeof property>[]) =>
    aReport({ device, user: { lastSyncTS: 1, properties } });
  const older = delta(property('both', 'older'), property('older', 'x'));
  const newer = delta(property('both', 'newer'), property('newer', 'x'));
  await store(uploadOf(newer, { stateAt: now + 1 }), uploadOf(older));
  expect(await propertiesOf(newer)).toEqual({ both: 'newer', older: 'x', newer: 'x' });
});

test('a removal that was stored before removes nothing again, also beside one that is new', async () => {
  const removal = aSession({ events: [system('CustomPropertyChanged', [property('key', 'kept')])] });
  const [known, other] = [aDevice(), aDevice()];
  const of = (device: typeof known, sessions = [removal]) =>
    aReport({ device, user: { lastSyncTS: 1, properties: [] }, sessions });
  await store(uploadOf(of(known)));
  const set = aReport({ device: known, user: { lastSyncTS: 1, properties: [property('kept', 'x')] } });
  await store(uploadOf(set, { stateAt: now + 1 }));
  await store(uploadOf(of(known), { stateAt: now + 2 }), uploadOf(of(other), { stateAt: now + 2 }));
  expect(await propertiesOf(set)).toEqual({ kept: 'x' });
});

test('a whole set replaces all there was, also where its upload takes one of them away', async () => {
  const device = aDevice();
  const set = (names: string[], sessions = [aSession()]) =>
    aReport({ device, user: { properties: names.map((name) => property(name, 'x')) }, sessions });
  await store(uploadOf(set(['a', 'b'])));
  const removal = aSession({ events: [system('CustomPropertyChanged', [property('key', 'a')])] });
  await store(uploadOf(set(['c'], [removal]), { stateAt: now + 1 }));
  expect(await propertiesOf(set([]))).toEqual({ c: 'x' });
});

test('a set that would grow beyond its limit is refused, and nothing of it is stored', async () => {
  const device = aDevice();
  const long = (name: string) =>
    aReport({ device, user: { lastSyncTS: 1, properties: [property(name, 'x'.repeat(3_000_000))] } });
  await store(uploadOf(long('first')));
  const second = uploadOf(long('second'), { stateAt: now + 1 });
  await expect(store(second)).rejects.toMatchObject({ code: 'validation_failed' });
  const { device: stored, sessions } = await storedRows(service, { device });
  expect([Object.keys(stored!.userProperties as object), sessions.length]).toEqual([['first'], 1]);
});

testOnOneNode(
  'what changes no user property leaves the stored ones as they are, and what changes one tells their length',
  async () => {
    const device = aDevice();
    const long = randomBytes(150_000).toString('hex');
    const measured: number[] = [];
    const toasted = async () => {
      const { rows } = await service.database.pool.query<{ bytes: string }>(
        "SELECT pg_relation_size(reltoastrelid) AS bytes FROM pg_class WHERE oid = 'devices'::regclass",
      );
      return Number(rows[0]!.bytes);
    };
    const send = (user: SessionReport['user'], events: SessionEvent[] = []) =>
      inTransaction(service.database.pool, (transaction) =>
        storeUploads(
          transaction,
          [uploadOf(aReport({ device, user, sessions: [aSession({ events })] }))],
          (_, length) => measured.push(length),
        ),
      );
    await send({
      properties: Array.from({ length: 40 }, (_, i) => property(`p${i}`, long.slice(i * 7_500, (i + 1) * 7_500))),
    });
    const before = await toasted();
    await send({ lastSyncTS: 1, properties: [] });
    expect([await toasted(), measured]).toEqual([before, []]);
    await send({ lastSyncTS: 1, properties: [property('one', 'more')] });
    await send({ lastSyncTS: 1, properties: [] }, [system('CustomPropertyChanged', [property('key', 'one')])]);
    expect(measured[0]! - measured[1]!).toBe('"one": "more", '.length);
    expect(await toasted()).toBeGreaterThan(before);
  },
);
