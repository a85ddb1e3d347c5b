// The revision of a configuration: it changes with what devices get and with the clock, and with nothing else.
import { randomUUID } from 'node:crypto';
import type { StoredCampaign } from '../../src/campaigns/campaignRecord.ts';
import { campaignConfig } from '../../src/campaigns/campaignConfig.ts';
import { aCampaign } from '../support/campaigns.ts';

const now = new Date('2026-09-10T12:00:00Z');
const later = (millis: number) => new Date(now.getTime() + millis);

function stored(fields: Partial<StoredCampaign> = {}): StoredCampaign {
  const { id = randomUUID(), version = 1 } = fields;
  return { ...aCampaign(), applicationId: randomUUID(), createdAt: now, updatedAt: now, ...fields, id, version };
}

test('has the form of the contract, and is the same for the same campaigns in any order', () => {
  const campaigns = [stored(), stored({ priority: 3 }), stored({ priority: 3 })];
  const { revision } = campaignConfig(campaigns, now);
  expect(revision).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
  expect(campaignConfig([...campaigns].reverse(), now).revision).toBe(revision);
});

test('changes with a version and with each field that devices get', () => {
  const campaign = stored();
  const revisions = [
    campaign,
    { ...campaign, version: 2 },
    { ...campaign, name: 'Other' },
    { ...campaign, priority: 1 },
    { ...campaign, targeting: { countries: ['DE'] } },
    { ...campaign, endAt: later(1) },
  ].map((variant) => campaignConfig([variant], now).revision);
  expect(new Set([...revisions, campaignConfig([], now).revision]).size).toBe(7);
});

test('does not change with what devices do not get', () => {
  const campaign = stored();
  const { revision } = campaignConfig([campaign], now);
  const touched = { ...campaign, description: 'For the team', updatedAt: later(5) };
  expect(campaignConfig([touched, stored({ state: 'DRAFT' }), stored({ state: 'PAUSED' })], now).revision).toBe(
    revision,
  );
});

test('a configuration knows from when until when it holds', () => {
  const campaigns = [
    stored({ state: 'SCHEDULED', startAt: later(10), endAt: later(20) }),
    stored({ state: 'ACTIVE', startAt: later(5), endAt: later(30) }),
    stored({ state: 'DRAFT', startAt: later(15), endAt: later(16) }),
  ];
  const boundaries = [-Infinity, 10, 20, 30, Infinity].map((millis) => now.getTime() + millis);
  for (const [index, millis] of [0, 10, 29, 30].entries()) {
    const { from, until } = campaignConfig(campaigns, later(millis));
    expect([from, until]).toEqual([boundaries[index], boundaries[index + 1]]);
  }
});
