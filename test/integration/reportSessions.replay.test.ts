// POST /api/v1/session: uploads that arrive long after they were signed, and uploads that are replayed after their nonce is forgotten.
import { ok, storedRows } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { aDevice, anEvent, aReport, aSession, json, signedHeaders, type SessionReport } from '../support/uploads.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ signatureRequired: true });
});
afterAll(() => service.stop());

const minutesAgo = (minutes: number) => Math.floor(Date.now() / 1_000) - minutes * 60;
const property = (name: string, value: string | number) => ({ name, value });

/** Signs now and sends as often as it is called, with the same bytes and the same signature. */
function signed(report: SessionReport, timestamp: number) {
  const body = json(report);
  const headers = signedHeaders(service.application.key, body, { timestamp });
  return async () => {
    expect(await service.client.send('reportSessions', headers, body)).toMatchObject(ok);
    return storedRows(service, report);
  };
}

/** As if the device had been seen last then, and every nonce were forgotten. */
async function laterOn(device: SessionReport['device'], lastSeenAt: Date): Promise<void> {
  const { prisma } = service.database;
  await prisma.nonce.deleteMany();
  await prisma.device.updateMany({ where: { id: device.id }, data: { firstSeenAt: lastSeenAt, lastSeenAt } });
}

test('a background transfer is stored, sets the state, and the device was seen when it was signed', async () => {
  const device = aDevice();
  await signed(aReport({ device, user: { id: 'early' } }), minutesAgo(600))();
  const before = new Date(minutesAgo(300) * 1_000);
  await laterOn(device, before);
  const timestamp = minutesAgo(200);
  const { device: row, events } = await signed(aReport({ device, user: { id: 'late' } }), timestamp)();
  expect(row).toMatchObject({ userId: 'late', firstSeenAt: before });
  // Within the second of its timestamp.
  const seen = row!.lastSeenAt.getTime() / 1_000 - timestamp;
  expect(seen >= 0 && seen <= 1).toBe(true);
  expect(events).toHaveLength(2);
});

test('the first upload of a device is its first and its last sign of life, however late it arrives', async () => {
  const { device } = await signed(aReport(), minutesAgo(60))();
  expect(device!.lastSeenAt).toEqual(device!.firstSeenAt);
  expect(Math.abs(Date.now() - device!.firstSeenAt.getTime())).toBeLessThan(60_000);
});

test('a late upload with one event that is new changes the state', async () => {
  const [device, session] = [aDevice(), aSession()];
  await signed(aReport({ device, user: { id: 'a' }, sessions: [session] }), minutesAgo(40))();
  const more = { ...session, events: [...session.events!, anEvent()] };
  const { device: row, events } = await signed(
    aReport({ device, user: { id: 'b' }, sessions: [more] }),
    minutesAgo(30),
  )();
  expect(row!.userId).toBe('b');
  expect(events).toHaveLength(2);
});

test('a replay after its nonce is forgotten moves no state, and the device is not seen by it', async () => {
  const device = aDevice();
  const removal = anEvent({ type: 'system', name: 'CustomPropertyChanged', params: [property('key', 'gone')] });
  const timestamp = minutesAgo(20);
  const delta = (plan: string, sessions = [aSession()]) =>
    aReport({ device, user: { id: plan, lastSyncTS: 1, properties: [property('plan', plan)] }, sessions });
  const first = signed(delta('first', [aSession({ events: [anEvent(), removal] })]), timestamp);
  await first();
  // Of the same second, so that the time alone would let the replay of the first one through.
  const second = signed(delta('second'), timestamp);
  await second();
  await laterOn(device, new Date((timestamp - 3_600) * 1_000));
  const before = await storedRows(service, { device });
  expect(before.device).toMatchObject({ userId: 'second', userProperties: { plan: 'second' } });
  expect(await first()).toEqual(before);
  await service.database.prisma.nonce.deleteMany();
  // With an upload of the device that is new, in one transaction.
  const news = signed(delta('third'), minutesAgo(5));
  await Promise.all([first(), news(), second()]);
  const after = await storedRows(service, { device });
  expect(after.device).toMatchObject({ userId: 'third', userProperties: { plan: 'third' } });
  expect(after.events).toHaveLength(4);
});

test('within 15 minutes the nonce tells that it is the same upload', async () => {
  const report = aReport();
  const again = signed(report, minutesAgo(14));
  const before = await again();
  expect(await again()).toEqual(before);
  expect(await service.database.prisma.nonce.count()).toBeGreaterThan(0);
});
