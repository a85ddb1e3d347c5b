// GET /api/v1/campaigns and X-Config-Revision: the clock alone starts or ends a campaign, without any request.
import { editCampaign, fetchConfig, storeCampaign, withinASecond } from '../support/campaigns.ts';
import { sendReport } from '../support/reportSessions.ts';
import { statementsOf } from '../support/statements.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { aReport } from '../support/uploads.ts';

const start = new Date('2026-09-10T12:00:00.500Z');
const end = new Date('2026-09-10T13:00:00Z');
let now: Date;
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ now: () => now });
});
afterAll(() => service.stop());

async function inNewApplication() {
  return { ...service, application: await service.newApplication() };
}

async function at(instant: Date, place: TestService) {
  now = instant;
  const config = await fetchConfig(place);
  const upload = await sendReport(place, aReport());
  expect(upload).toMatchObject({ status: 200, headers: { 'x-config-revision': config.body.revision } });
  expect(config.body.serverTime).toBe(Math.floor(instant.getTime() / 1000));
  return { ...config.body, tag: config.headers['etag']!, ids: config.body.campaigns.map(({ id }) => id) };
}

const before = (instant: Date, millis = 1) => new Date(instant.getTime() - millis);

test('a scheduled campaign is delivered ahead; revision and tag change at its start and at its end', async () => {
  const place = await inNewApplication();
  const made = before(start, 86_400_000);
  const { id } = await storeCampaign(place, { state: 'SCHEDULED', startAt: start, endAt: end }, made);
  const scheduled = await at(before(start, 3_600_000), place);
  const stillScheduled = await at(before(start), place);
  const running = await at(start, place);
  const stillRunning = await at(before(end), place);
  const over = await at(end, place);
  expect([scheduled, stillScheduled, running, stillRunning, over].map(({ ids }) => ids)).toEqual([
    [id],
    [id],
    [id],
    [id],
    [],
  ]);
  for (const field of ['revision', 'tag'] as const) {
    expect(stillScheduled[field]).toBe(scheduled[field]);
    expect(stillRunning[field]).toBe(running[field]);
    expect(new Set([scheduled, running, over].map((config) => config[field])).size).toBe(3);
  }
  expect(running.campaigns).toEqual(scheduled.campaigns);
  expect((await at(before(start), place)).revision).toBe(scheduled.revision);
});

test('the next fetch is due when something starts or ends, within bounds', async () => {
  const place = await inNewApplication();
  await storeCampaign(place, { state: 'SCHEDULED', startAt: start, endAt: end }, before(start, 86_400_000));
  const due = async (instant: Date) => (await at(instant, place)).nextFetchSeconds;
  expect(await due(before(start, 3_600_000))).toBe(900);
  expect(await due(before(start, 600_400))).toBe(601);
  expect(await due(before(start))).toBe(30);
  expect(await due(start)).toBe(900);
  expect(await due(before(end, 31_000))).toBe(31);
  expect(await due(end)).toBe(900);
});

test('a campaign that was activated by hand runs at once, whatever its start says', async () => {
  const place = await inNewApplication();
  const schedule = { startAt: start, endAt: end };
  await storeCampaign(place, { state: 'ACTIVE', ...schedule }, before(start, 60_000));
  const early = await at(before(start, 30_000), place);
  expect(early.campaigns[0]!.schedule).toEqual({ startAt: null, endAt: end.toISOString() });
  expect((await at(start, place)).revision).toBe(early.revision);
  const later = await inNewApplication();
  await storeCampaign(later, { state: 'ACTIVE', ...schedule }, start);
  expect((await at(start, later)).campaigns[0]!.schedule.startAt).toBe(start.toISOString());
});

test('the answer to an upload tells of an edit', async () => {
  const place = await inNewApplication();
  const campaign = await storeCampaign(place);
  const running = await at(start, place);
  await editCampaign(place, campaign, { state: 'PAUSED' });
  const revision = async () => (await sendReport(place, aReport())).headers['x-config-revision'];
  await withinASecond(async () => (await revision()) !== running.revision);
  expect((await at(start, place)).ids).toEqual([]);
});

test('a clock that is set back by an hour finds in memory what had ended meanwhile', async () => {
  const place = await inNewApplication();
  const running = before(end, 1_800_000);
  expect((await at(running, place)).ids).toEqual([]);
  const { id } = await storeCampaign(place, { startAt: start, endAt: end }, before(start));
  // By then the notification of the campaign has arrived. A later one would outdate the cached read, or separate a
  // configuration from the upload after it.
  await withinASecond(async () => (await fetchConfig(place)).body.campaigns.some((campaign) => campaign.id === id));
  expect((await at(before(end, -1_800_000), place)).ids).toEqual([]);
  const reads = await statementsOf(async () => expect((await at(running, place)).ids).toEqual([id]));
  expect(reads.filter((text) => text.includes('findDeliverableCampaigns'))).toEqual([]);
});
