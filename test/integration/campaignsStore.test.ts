// The writes below the admin operations: locked, checked against a version and sent to every process; and the counts.
import { campaignEdit } from '../../src/campaigns/campaignEdit.ts';
import type { CampaignContent, StoredCampaign } from '../../src/campaigns/campaignRecord.ts';
import { findDeliverableCampaigns, measurePublished } from '../../src/campaigns/campaignsStore.ts';
import { campaignStats } from '../../src/campaigns/campaignStatsStore.ts';
import { holdCampaign, writeHeldCampaign } from '../../src/campaigns/heldCampaign.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/newId.ts';
import { aCampaign, storeCampaign } from '../support/campaigns.ts';
import { holdLock } from '../support/heldLock.ts';
import { sendReport } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { anEvent, aReport, aSession } from '../support/uploads.ts';

let service: TestService;
let organizationId: string;
beforeAll(async () => {
  service = await startTestService();
  const { project } = await service.database.prisma.application.findUniqueOrThrow({
    where: { id: service.application.id },
    include: { project: true },
  });
  organizationId = project.organizationId;
});
afterAll(() => service.stop());

const now = new Date('2026-09-10T12:00:00.123Z');
const renamed = (name: string) => (campaign: StoredCampaign) => ({ ...campaign, name });

test('every field comes back as it was stored', async () => {
  const content = aCampaign({
    description: 'Notes',
    state: 'SCHEDULED',
    priority: 12,
    targeting: { platforms: ['iOS'], appVersion: { min: 9007199254740991 } },
    frequency: { total: 3 },
    action: { type: 'x', payload: ['\u{1f680}', 1.5, null], blocking: true },
    startAt: now,
    endAt: new Date('2026-09-11T00:00:00Z'),
  });
  const campaign = await storeCampaign(service, content, now);
  const fixed = { applicationId: service.application.id, version: 1, createdAt: now, updatedAt: now };
  const by = { createdBy: null, updatedBy: null };
  expect(campaign).toEqual({ ...content, ...fixed, ...by, id: campaign.id });
});

describe('a change', () => {
  interface Change {
    expectedVersion?: number;
    /** Null when there is nothing to change. */
    decide?: (campaign: StoredCampaign, now: Date) => CampaignContent | null;
    clock?: () => Date;
  }
  const change = (id: string, { expectedVersion, decide = renamed('New'), clock = () => now }: Change) =>
    inTransaction(service.database.pool, async (transaction) => {
      const caller = { userId: newId(), organizationId, email: 'ann@example.com', role: 'editor' as const };
      const held = await holdCampaign(transaction, { id, caller, expectedVersion }, clock);
      const content = decide(held.campaign, held.now);
      return content
        ? (await writeHeldCampaign(transaction, held, { content, by: 'ann@example.com', path: 'input' })).campaign
        : held.campaign;
    });
  const unchanged = { decide: () => null };

  test('is written as the next version', async () => {
    const campaign = await storeCampaign(service);
    const changed = { ...campaign, name: 'New', version: 2, updatedAt: now, updatedBy: 'ann@example.com' };
    expect(await change(campaign.id, { expectedVersion: 1 })).toEqual(changed);
  });

  test('of another version than the one seen is a conflict, before it is decided', async () => {
    const { id } = await storeCampaign(service);
    await change(id, {});
    const decide = () => {
      throw new Error('asked');
    };
    const refusal = { code: 'conflict', details: { reason: 'version', currentVersion: 2 } };
    await expect(change(id, { expectedVersion: 1, decide })).rejects.toMatchObject(refusal);
  });

  test('that changes nothing keeps the version, and one that is refused leaves everything', async () => {
    const campaign = await storeCampaign(service);
    expect(await change(campaign.id, unchanged)).toEqual(campaign);
    const refuse = () => {
      throw new Error('no');
    };
    await expect(change(campaign.id, { decide: refuse })).rejects.toThrow('no');
    expect(await change(campaign.id, unchanged)).toEqual(campaign);
  });

  test('in another organization, or of a deleted application, finds nothing', async () => {
    const place = { ...service, application: await service.newApplication() };
    const { id } = await storeCampaign(place);
    await expect(change(id, {})).rejects.toMatchObject({ code: 'not_found' });
    const own = await storeCampaign(service);
    const deleteAt = (deletedAt: Date | null) =>
      service.database.prisma.application.update({ where: { id: service.application.id }, data: { deletedAt } });
    await deleteAt(now);
    await expect(change(own.id, {})).rejects.toMatchObject({ code: 'not_found' });
    await deleteAt(null);
  });

  test('of ten at once loses none', async () => {
    const { id } = await storeCampaign(service, { name: '' });
    const append = (campaign: StoredCampaign) => ({ ...campaign, name: `${campaign.name}x` });
    await Promise.all(Array.from({ length: 10 }, () => change(id, { decide: append })));
    expect(await change(id, unchanged)).toMatchObject({ name: 'x'.repeat(10), version: 11 });
  });

  test('is made known to this process, so that its own next answer has it', async () => {
    const { id } = await storeCampaign(service);
    const forgotten: string[] = [];
    const campaigns = { forget: (applicationId: string) => void forgotten.push(applicationId) };
    const caller = { userId: newId(), organizationId, email: 'editor@example.com', role: 'editor' as const };
    await campaignEdit(
      { input: { id, name: 'New' } },
      { ...service.deps, campaigns, caller, wroteDeliveries: () => undefined },
    );
    expect(forgotten).toEqual([service.application.id]);
  });

  test('is decided by the clock as it is when the lock is there', async () => {
    const { id } = await storeCampaign(service);
    const times: Date[] = [];
    const decide = (_: StoredCampaign, at: Date) => {
      times.push(at);
      return null;
    };
    const lock = await holdLock(service.database.pool, 'SELECT 1 FROM campaigns WHERE id = $1 FOR UPDATE', id);
    const waiting = change(id, { decide, clock: service.deps.now });
    await lock.waiting(1);
    const released = Date.now();
    await lock.release();
    await waiting;
    expect(times.map((at) => at.getTime() >= released)).toEqual([true]);
  });
});

test('counts of several campaigns are read at once, zeros included', async () => {
  const [one, other] = [await storeCampaign(service), await storeCampaign(service)];
  const resolved = (result: string, reason?: string) =>
    anEvent({
      name: 'CampaignResolved',
      type: 'system',
      params: [
        { name: 'campaignId', value: one.id },
        { name: 'result', value: result },
        ...(reason ? [{ name: 'unavailableReason', value: reason }] : []),
      ],
    });
  const shown = () =>
    anEvent({ name: 'CampaignShown', type: 'system', params: [{ name: 'campaignId', value: one.id }] });
  const events = [
    ...[shown(), shown(), shown()],
    ...['Completed', 'Completed', 'Dismissed', 'SkippedNoPresenter', 'SkippedNoContinuation'].map((result) =>
      resolved(result),
    ),
    ...['TimedOut', 'PresenterFailed', 'PresenterReported'].map((reason) => resolved('Unavailable', reason)),
    resolved('Unavailable'),
  ];
  expect((await sendReport(service, aReport({ sessions: [aSession({ events })] }))).status).toBe(200);
  const zero = {
    shown: 0,
    suspect: 0,
    resolved: { completed: 0, dismissed: 0, unavailable: 0, skippedNoPresenter: 0, skippedNoContinuation: 0 },
    unavailableReasons: { timedOut: 0, presenterFailed: 0, presenterReported: 0 },
  };
  const full = {
    shown: 3,
    suspect: 0,
    resolved: { completed: 2, dismissed: 1, unavailable: 4, skippedNoPresenter: 1, skippedNoContinuation: 1 },
    unavailableReasons: { timedOut: 1, presenterFailed: 1, presenterReported: 1 },
  };
  const { pool } = service.database;
  const stats = (await campaignStats(pool, [other.id, one.id])).map(({ id, ...counted }) => [id, counted]);
  expect(Object.fromEntries(stats)).toEqual({ [one.id]: full, [other.id]: zero });
  expect(await campaignStats(pool, [])).toEqual([]);
});

test('what has ended is neither read for devices nor measured', async () => {
  const place = { ...service, application: await service.newApplication() };
  const { pool } = service.database;
  const search = { applicationId: place.application.id, endedBefore: now };
  const after = new Date(now.getTime() + 1);
  const measured = () => inTransaction(pool, (transaction) => measurePublished(transaction, search));
  for (const state of ['SCHEDULED', 'ACTIVE'] as const) await storeCampaign(place, { state, startAt: now, endAt: now });
  expect([await findDeliverableCampaigns(pool, search), await measured()]).toEqual([[], 0]);
  const running = await storeCampaign(place, { endAt: after });
  const endless = await storeCampaign(place, { endAt: null });
  const found = await findDeliverableCampaigns(pool, search);
  expect(found.map(({ id }) => id).sort()).toEqual([running.id, endless.id].sort());
  expect(await measured()).toBeGreaterThan(0);
});
