// CampaignStats.suspect: what one device shows on a day beyond the campaign's frequency. The counts themselves stay what they are.
import { randomUUID } from 'node:crypto';
import { campaignStats } from '../../src/campaigns/campaignStatsStore.ts';
import type { StoredCampaign, StoredFrequency } from '../../src/campaigns/campaignRecord.ts';
import { closeDaysOfShows } from '../../src/campaigns/closeDaysOfShows.ts';
import { removeShows } from '../../src/campaigns/showsStore.ts';
import { awayFromTurn } from '../support/awayFromTurn.ts';
import { editCampaign, storeCampaign } from '../support/campaigns.ts';
import { ok, sendReport } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { aDevice, anEvent, aReport, aSession, type Session } from '../support/uploads.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
beforeEach(() => awayFromTurn('day'));
afterAll(() => service.stop());

const sql = (text: string, values: unknown[] = []) => service.database.pool.query(text, values);
const aCampaign = (frequency: StoredFrequency | null) => storeCampaign(service, { frequency });
const show = ({ id }: StoredCampaign) =>
  anEvent({ type: 'system', name: 'CampaignShown', params: [{ name: 'campaignId', value: id }] });
const shows = (campaign: StoredCampaign, count: number) => Array.from({ length: count }, () => show(campaign));

async function send(device: string, ...sessions: Session[]): Promise<void> {
  expect(await sendReport(service, aReport({ device: aDevice(device), sessions }))).toMatchObject(ok);
}

async function statsOf({ id }: StoredCampaign): Promise<[shown: number, suspect: number]> {
  const [stats] = await campaignStats(service.database.pool, [id]);
  return [stats!.shown, stats!.suspect];
}

/** All rows so far have arrived a day earlier. */
async function sleepUntilTomorrow(): Promise<void> {
  await sql('UPDATE campaign_shows SET day = day - 1');
  // Of immutable functions alone, as a cluster wants them.
  await sql(`UPDATE sessions SET received_at = (received_at AT TIME ZONE 'UTC' - interval '1 day') AT TIME ZONE 'UTC'`);
  await sql('UPDATE events SET anchored_on = anchored_on - 1');
}

/** Yesterday may have been of last week. */
beforeAll(async () => {
  await sql(`DO $$ DECLARE monday date := date_trunc('week', now() AT TIME ZONE 'UTC')::date; BEGIN
    EXECUTE format('CREATE TABLE events_of_last_week PARTITION OF events FOR VALUES FROM (%L) TO (%L)', monday - 7, monday);
    EXCEPTION WHEN invalid_object_definition THEN NULL; END $$`);
});

test('the attack: 2,500 shows in one upload count as they are sent, and all but one are suspect', async () => {
  const campaign = await aCampaign({ perSession: 1, perDay: 3, total: 10 });
  const session = aSession({ events: shows(campaign, 2_500) });
  const device = randomUUID();
  await send(device, session);
  expect(await statsOf(campaign)).toEqual([2_500, 2_499]);
  await send(device, session);
  expect(await statsOf(campaign)).toEqual([2_500, 2_499]);
});

test.each<[StoredFrequency | null, number[], number]>([
  [{ perSession: 2 }, [5], 3],
  [{ perSession: 2 }, [5, 0], 1],
  [{ perSession: 2 }, [4, 0], 0],
  [{ perDay: 3 }, Array<number>(10).fill(1), 7],
  [{ total: 2 }, [1, 2], 1],
  [{ perDay: 5, total: 4, perSession: 3 }, [3, 3], 2],
  [{ perDay: 5, total: null, perSession: 1 }, [3, 3], 4],
  [{ perSession: 1_000_000, perDay: 1_000_000, total: 1_000_000 }, [50, 50], 0],
  [{ cooldownSeconds: 3_600 }, [50], 0],
  [{}, [50], 0],
  [null, [50], 0],
])('%j, sessions with %j shows: %i are suspect, in one upload or in several', async (frequency, counts, suspect) => {
  const campaigns = await Promise.all([1, 2].map(() => aCampaign(frequency)));
  const shown = counts.reduce((sum, count) => sum + count, 0);
  const sessions = (campaign: StoredCampaign) => counts.map((count) => aSession({ events: shows(campaign, count) }));
  await send(randomUUID(), ...sessions(campaigns[0]!));
  const device = randomUUID();
  // Sessions without a show first: only the day's end finds those that come later.
  for (const session of sessions(campaigns[1]!).reverse()) await send(device, session);
  for (const campaign of campaigns) expect(await statsOf(campaign)).toEqual([shown, suspect]);
});

test('each device counts for itself, and an event that comes again does not count', async () => {
  const campaign = await aCampaign({ perDay: 2 });
  const [one, other] = [randomUUID(), randomUUID()];
  const session = aSession({ events: shows(campaign, 3) });
  await send(one, session);
  await send(other, aSession({ events: shows(campaign, 2) }));
  await send(one, { ...session, events: [...session.events!, show(campaign)] });
  await send(other, aSession({ events: shows(campaign, 1) }));
  expect(await statsOf(campaign)).toEqual([7, 3]);
});

test('an SDK that reports a session before its show is honest', async () => {
  const campaign = await aCampaign({ perSession: 1 });
  const device = randomUUID();
  for (const session of [aSession(), aSession(), aSession()]) {
    await send(device, session);
    await send(device, { ...session, events: [...session.events!, show(campaign)] });
  }
  expect(await statsOf(campaign)).toEqual([3, 0]);
});

test('two uploads of one device at once lose nothing', async () => {
  const campaign = await aCampaign({ perSession: 1 });
  const device = randomUUID();
  await Promise.all(Array.from({ length: 20 }, () => send(device, aSession({ events: shows(campaign, 2) }))));
  expect(await statsOf(campaign)).toEqual([40, 20]);
});

test("another application's campaign counts nothing", async () => {
  const campaign = await storeCampaign(
    { ...service, application: await service.newApplication() },
    { frequency: { perDay: 1 } },
  );
  await send(randomUUID(), aSession({ events: shows(campaign, 5) }));
  expect(await statsOf(campaign)).toEqual([0, 0]);
});

test('a session that goes on after midnight may show, and a day begins anew', async () => {
  const campaign = await aCampaign({ perSession: 1, perDay: 2 });
  const [device, session] = [randomUUID(), aSession()];
  await send(device, session);
  await sleepUntilTomorrow();
  const goneOn = { ...session, events: [...session.events!, show(campaign)] };
  await send(device, goneOn);
  expect(await statsOf(campaign)).toEqual([1, 0]);
  await send(device, { ...goneOn, events: [...goneOn.events, show(campaign)] });
  expect(await statsOf(campaign)).toEqual([2, 1]);
  await sleepUntilTomorrow();
  await send(device, aSession({ events: shows(campaign, 3) }));
  expect(await statsOf(campaign)).toEqual([5, 3]);
});

test('an edit changes nothing that is counted, and holds for the day of the next show', async () => {
  const campaign = await aCampaign({ perDay: 10 });
  const device = randomUUID();
  await send(device, aSession({ events: shows(campaign, 5) }));
  const edited = await editCampaign(service, campaign, { frequency: { perDay: 1 } });
  expect(await statsOf(edited)).toEqual([5, 0]);
  await send(device, aSession({ events: [show(campaign)] }));
  expect(await statsOf(edited)).toEqual([6, 5]);
});

describe('a day that is over', () => {
  const rowsOf = async ({ id }: StoredCampaign) =>
    (await sql('SELECT FROM campaign_shows WHERE campaign_id = $1', [id])).rowCount;

  test('is closed once, by two processes at once: its rows go, and the figure stays', async () => {
    const campaign = await aCampaign({ perDay: 1 });
    for (let device = 0; device < 9; device++)
      await send(randomUUID(), aSession({ events: shows(campaign, 1 + (device % 3)) }));
    await closeDaysOfShows(service.database.pool);
    expect([await rowsOf(campaign), await statsOf(campaign)]).toEqual([9, [18, 9]]);
    await sleepUntilTomorrow();
    await sql('UPDATE campaign_shows SET day = day - 1 WHERE campaign_id = $1', [campaign.id]);
    await send(randomUUID(), aSession({ events: shows(campaign, 3) }));
    await Promise.all([1, 2].map(() => closeDaysOfShows(service.database.pool, 2)));
    expect([await rowsOf(campaign), await statsOf(campaign)]).toEqual([1, [21, 11]]);
  });

  test('counts the sessions that arrived after its last show', async () => {
    const campaign = await aCampaign({ perSession: 2 });
    const device = randomUUID();
    await send(device, aSession({ events: shows(campaign, 5) }));
    await send(device, aSession());
    expect(await statsOf(campaign)).toEqual([5, 3]);
    for (let days = 0; days < 2; days++) await sleepUntilTomorrow();
    await closeDaysOfShows(service.database.pool);
    expect([await rowsOf(campaign), await statsOf(campaign)]).toEqual([0, [5, 1]]);
  });

  test('of a campaign that is gone is forgotten, and a deleted application keeps no rows', async () => {
    const place = { ...service, application: await service.newApplication() };
    const [gone, deleted] = [await aCampaign({ perDay: 1 }), await storeCampaign(place, { frequency: { perDay: 1 } })];
    await send(randomUUID(), aSession({ events: shows(gone, 3) }));
    const headers = { 'X-Api-Key': place.application.key.public };
    await sendReport(service, aReport({ sessions: [aSession({ events: shows(deleted, 3) })] }), headers);
    expect(await statsOf(deleted)).toEqual([3, 2]);
    expect(await removeShows(service.database.pool, place.application.id)).toBe(false);
    expect([await rowsOf(gone), await rowsOf(deleted)]).toEqual([1, 0]);
    await sql('DELETE FROM campaigns WHERE id = $1', [gone.id]);
    for (let days = 0; days < 2; days++) await sleepUntilTomorrow();
    await closeDaysOfShows(service.database.pool);
    const counted = await sql("SELECT FROM campaign_counts WHERE outcome = 'suspect' AND campaign_id = $1", [gone.id]);
    expect([await rowsOf(gone), counted.rowCount]).toEqual([0, 0]);
  });
});

test('a campaign without a cap leaves no row', async () => {
  const campaign = await aCampaign({ cooldownSeconds: 60 });
  await send(randomUUID(), aSession({ events: shows(campaign, 2) }));
  expect((await sql('SELECT FROM campaign_shows WHERE campaign_id = $1', [campaign.id])).rowCount).toBe(0);
});
