// POST /api/v1/session: the counts of campaigns come only from events that are really stored.
import { holdLock } from '../support/heldLock.ts';
import { countsOf, ok, sendReport, storedRows } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { createCampaign } from '../support/testWorkspace.ts';
import { anEvent, aReport, aSession } from '../support/uploads.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

describe('campaign counts', () => {
  const system = (name: string, params: Record<string, string>) =>
    anEvent({ type: 'system', name, params: Object.entries(params).map(([name, value]) => ({ name, value })) });

  test('are kept by result and reason, for campaigns of the same application only', async () => {
    const campaignId = await createCampaign(service.database.prisma, service.application.id);
    const foreignId = await createCampaign(service.database.prisma, (await service.newApplication()).id);
    const events = [
      system('CampaignShown', { campaignId, source: 'LevelCompleted' }),
      system('CampaignShown', { campaignId: campaignId.toUpperCase(), source: 'LevelCompleted' }),
      system('CampaignResolved', { campaignId, result: 'Dismissed' }),
      system('CampaignResolved', { campaignId, result: 'Unavailable', unavailableReason: 'TimedOut' }),
      system('CampaignResolved', { campaignId, result: 'Unavailable', unavailableReason: 'Unheard of' }),
      system('CampaignResolved', { campaignId, result: 'Completed', unavailableReason: 'TimedOut' }),
      system('CampaignResolved', { campaignId, result: 'Exploded' }),
      system('CampaignShown', { campaignId: foreignId }),
      system('CampaignShown', { campaignId: 'no-uuid' }),
      system('CampaignShown', {}),
      system('SomethingNew', { campaignId }),
      anEvent({ name: 'shown', params: [{ name: 'campaignId', value: campaignId }] }),
    ];
    const report = aReport({ sessions: [aSession({ events })] });
    for (let i = 0; i < 2; i++) expect(await sendReport(service, report)).toMatchObject(ok);
    expect((await storedRows(service, report)).events).toHaveLength(events.length);
    expect(await countsOf(service, campaignId)).toEqual({
      shown: 2,
      'resolved:Dismissed': 1,
      'resolved:Unavailable': 2,
      'resolved:Completed': 1,
      'unavailable:TimedOut': 1,
    });
    expect(await countsOf(service, foreignId)).toEqual({});
  });

  test('grow by the new events of a session that comes again, and by those only', async () => {
    const campaignId = await createCampaign(service.database.prisma, service.application.id);
    const shown = () => system('CampaignShown', { campaignId });
    const [first, session] = [[shown(), anEvent()], aSession()];
    const later = [...first, shown(), shown(), anEvent(), anEvent()];
    const report = aReport();
    for (const events of [first, later, later]) {
      expect(await sendReport(service, { ...report, sessions: [{ ...session, events }] })).toMatchObject(ok);
    }
    expect((await storedRows(service, report)).events).toHaveLength(later.length);
    expect(await countsOf(service, campaignId)).toEqual({ shown: 3 });
  });

  test('are locked in the order of their ids, so that two uploads never wait for each other in a circle', async () => {
    const { prisma, pool } = service.database;
    const ids = await Promise.all([1, 2].map(() => createCampaign(prisma, service.application.id)));
    const [first, last] = ids.sort() as [string, string];
    const shown = (...campaignIds: string[]) =>
      aReport({
        sessions: [aSession({ events: campaignIds.map((campaignId) => system('CampaignShown', { campaignId })) })],
      });
    expect(await sendReport(service, shown(first, last))).toMatchObject(ok);
    const row = 'SELECT FROM campaign_counts WHERE campaign_id = $1 FOR UPDATE';
    const held = await holdLock(pool, row, first);
    const sending = sendReport(service, shown(last, first));
    await held.waiting(1);
    const lastIsFree = await pool.query(`${row} SKIP LOCKED`, [last]);
    await held.release();
    expect(await sending).toMatchObject(ok);
    expect(lastIsFree.rowCount).toBe(1);
    for (const id of ids) expect(await countsOf(service, id)).toEqual({ shown: 2 });
  });
});
