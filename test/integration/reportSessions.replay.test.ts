// POST /api/v1/session: uploads that arrive long after they were signed, and uploads that are replayed after their nonce is forgotten.
import { randomBytes } from 'node:crypto';
import { countsOf, ok, storedRows } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { createCampaign } from '../support/testWorkspace.ts';
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

test('a late upload that is new sets the user and the finish of its sessions, whether they are new or stored', async () => {
  const [device, session] = [aDevice(), aSession({ id: '1' })];
  await signed(aReport({ device, user: { id: 'a' }, sessions: [session] }), minutesAgo(30))();
  const finishDate = '2026-09-10T03:00:00Z';
  const sessions = [{ ...session, finishDate, events: [anEvent()] }, aSession({ id: '2', finishDate })];
  const stored = await signed(aReport({ device, user: { id: 'b' }, sessions }), minutesAgo(29))();
  const finishedAt = new Date(finishDate);
  expect(stored.sessions).toMatchObject([
    { userId: 'b', finishedAt },
    { userId: 'b', finishedAt },
  ]);
});

test('a late upload that brings nothing but the finish of a stored session sets it, and its replay moves nothing', async () => {
  const [device, session] = [aDevice(), aSession({ finishDate: null })];
  await signed(aReport({ device, user: { id: 'a' }, sessions: [session] }), minutesAgo(30))();
  const ended = { ...session, finishDate: '2026-09-10T03:00:00Z', events: [] };
  const finish = signed(aReport({ device, user: { id: 'b' }, sessions: [ended] }), minutesAgo(29));
  const finishedAt = new Date(ended.finishDate);
  expect(await finish()).toMatchObject({ device: { userId: 'b' }, sessions: [{ userId: 'b', finishedAt }] });
  await signed(aReport({ device, user: { id: 'c' }, sessions: [{ ...ended, events: [anEvent()] }] }), minutesAgo(29))();
  await laterOn(device, new Date(minutesAgo(60) * 1_000));
  const before = await storedRows(service, { device });
  expect(before).toMatchObject({ device: { userId: 'c' }, sessions: [{ userId: 'c', finishedAt }] });
  expect(await finish()).toEqual(before);
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

/** Everything that is stored of the device, and the counts of the campaign. */
async function allOf(device: SessionReport['device'], campaignId: string) {
  const { prisma } = service.database;
  const { key } = (await prisma.device.findFirst({ where: { id: device.id } }))!;
  const attribution = await prisma.attributionReport.findMany({ where: { deviceKey: key } });
  return [await storedRows(service, { device }), await countsOf(service, campaignId), attribution];
}

test('a late replay moves neither users of sessions nor installs, counts and attribution', async () => {
  const [device, session] = [aDevice(), aSession()];
  const campaignId = await createCampaign(service.database.prisma, service.application.id);
  const shown = () => anEvent({ type: 'system', name: 'CampaignShown', params: [property('campaignId', campaignId)] });
  const timestamp = minutesAgo(20);
  const from = (user: string, vendorIdentifier: string) =>
    aReport({
      device: { ...device, properties: { ...device.properties, vendorIdentifier } },
      user: { id: user },
      sessions: [{ ...session, finishDate: null, events: [shown(), anEvent()] }],
    });
  const first = signed(from('first', 'v-1'), timestamp);
  await first();
  // Of the same second: by its time alone, the replay of the first one is as new.
  const second = signed(from('second', 'v-2'), timestamp);
  await second();
  const report = {
    device: { id: device.id },
    system: { os_version: '18' },
    attribution: { provider_a: { a: 1 } },
  };
  const key = { 'X-Api-Key': service.application.key.public };
  await service.client.send('reportAttribution', key, report);
  await service.database.prisma.nonce.deleteMany();
  const before = await allOf(device, campaignId);
  expect(before).toMatchObject([
    { device: { userId: 'second' }, sessions: [{ userId: 'second' }] },
    { shown: 2 },
    [{ providerA: { a: 1 } }],
  ]);
  await first();
  expect(await allOf(device, campaignId)).toEqual(before);
  // Beside an upload that is new, in one transaction.
  await service.database.prisma.nonce.deleteMany();
  const other = signed(aReport(), minutesAgo(1));
  await Promise.all([first(), other(), first()]);
  expect(await allOf(device, campaignId)).toEqual(before);
});

test('a late replay of a clock that was fast moves nothing', async () => {
  let now = new Date(Date.now() - 30 * 60_000);
  await using earlier = await startTestService({ signatureRequired: true, now: () => now });
  const [device, session] = [aDevice(), aSession()];
  const upload = (user: string, ahead: number) => {
    const report = aReport({ device, user: { id: user }, sessions: [{ ...session, events: [anEvent()] }] });
    const [body, timestamp] = [json(report), Math.floor(now.getTime() / 1_000) + ahead];
    const headers = signedHeaders(earlier.application.key, body, { timestamp });
    return () => earlier.client.send('reportSessions', headers, body);
  };
  const fast = upload('fast clock', 240);
  expect(await fast()).toMatchObject(ok);
  now = new Date(now.getTime() + 60_000);
  expect(await upload('right clock', 0)()).toMatchObject(ok);
  now = new Date();
  await earlier.database.prisma.nonce.deleteMany();
  const before = await storedRows(earlier, { device });
  expect(before).toMatchObject({ device: { userId: 'right clock' }, sessions: [{ userId: 'right clock' }] });
  expect(await fast()).toMatchObject(ok);
  expect(await storedRows(earlier, { device })).toEqual(before);
});

test('a late replay does not bring back a finish that has given way, though its time has come', async () => {
  const [device, session] = [aDevice(), aSession({ events: [] })];
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);
  const wrong = signed(
    aReport({ device, sessions: [{ ...session, finishDate: inHours(-1).toISOString() }] }),
    minutesAgo(20),
  );
  await wrong();
  // As if it had arrived an hour before its finish.
  const { prisma } = service.database;
  await prisma.session.updateMany({
    where: { id: session.id },
    data: { receivedAt: inHours(-2), finishPossible: false },
  });
  const right = inHours(-1.5);
  await signed(aReport({ device, sessions: [{ ...session, finishDate: right.toISOString() }] }), minutesAgo(1))();
  await prisma.nonce.deleteMany();
  expect((await wrong()).sessions).toMatchObject([{ finishedAt: right }]);
});

test('within 15 minutes the nonce is still known: it tells another upload from the same one', async () => {
  const [one, other] = [json(aReport()), json(aReport())];
  const signing = { timestamp: minutesAgo(14), nonce: randomBytes(16).toString('base64url') };
  const send = (body: Buffer) =>
    service.client.send('reportSessions', signedHeaders(service.application.key, body, signing), body);
  expect(await send(one)).toMatchObject(ok);
  expect(await send(one)).toMatchObject(ok);
  expect(await send(other)).toMatchObject({ status: 403, body: { reason: 'nonce_reused' } });
});
