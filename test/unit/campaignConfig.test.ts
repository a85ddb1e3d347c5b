// The revision of a configuration: it changes with the delivered content and with the clock, and with nothing else.
import { randomUUID } from 'node:crypto';
import { campaignConfigs, type CampaignConfig } from '../../src/campaigns/campaignConfig.ts';
import type { StoredCampaign } from '../../src/campaigns/campaignRecord.ts';
import { isPublished, stateAt } from '../../src/campaigns/campaignState.ts';
import { aCampaign, deliveredIn } from '../support/campaigns.ts';

const now = new Date('2026-09-10T12:00:00Z');
const later = (millis: number) => new Date(now.getTime() + millis);

function stored(fields: Partial<StoredCampaign> = {}): StoredCampaign {
  const { id = randomUUID(), version = 1 } = fields;
  return {
    ...aCampaign(),
    applicationId: randomUUID(),
    createdAt: now,
    updatedAt: now,
    createdBy: null,
    updatedBy: null,
    ...fields,
    id,
    version,
  };
}

function read(config: CampaignConfig) {
  const { revision, from, until } = config;
  return { revision, from, until, campaigns: deliveredIn(config) };
}

function configAt(campaigns: StoredCampaign[], instant: Date) {
  return read(campaignConfigs(campaigns)(instant));
}

test('has the form of the contract, and is the same for the same campaigns in any order', () => {
  const campaigns = [stored(), stored({ priority: 3 }), stored({ priority: 3 })];
  const { revision } = configAt(campaigns, now);
  expect(revision).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
  expect(configAt([...campaigns].reverse(), now).revision).toBe(revision);
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
  ].map((variant) => configAt([variant], now).revision);
  expect(new Set([...revisions, configAt([], now).revision]).size).toBe(7);
});

test('does not change with what devices do not get', () => {
  const campaign = stored();
  const { revision } = configAt([campaign], now);
  const touched = { ...campaign, description: 'For the team', updatedAt: later(5) };
  expect(configAt([touched, stored({ state: 'DRAFT' }), stored({ state: 'PAUSED' })], now).revision).toBe(revision);
});

test('a configuration knows from when until when it holds', () => {
  const campaigns = [
    stored({ state: 'SCHEDULED', startAt: later(10), endAt: later(20) }),
    stored({ state: 'ACTIVE', startAt: later(5), endAt: later(30) }),
    stored({ state: 'DRAFT', startAt: later(15), endAt: later(16) }),
  ];
  const boundaries = [-Infinity, 10, 20, 30, Infinity].map((millis) => now.getTime() + millis);
  for (const [index, millis] of [0, 10, 29, 30].entries()) {
    const { from, until } = configAt(campaigns, later(millis));
    expect([from, until]).toEqual([boundaries[index], boundaries[index + 1]]);
  }
});

test('what was worked out before a boundary is what a process works out that reads only after it', () => {
  const starts = [0, 10, 20, 30].map((millis) => later(millis));
  const campaigns = starts.flatMap((startAt, index) => [
    stored({ state: 'SCHEDULED', startAt, priority: index }),
    stored({ state: 'SCHEDULED', startAt, endAt: later(index * 7) }),
    stored({ state: 'ACTIVE', startAt, endAt: later(index * 9) }),
  ]);
  const configure = campaignConfigs(campaigns);
  const instants = Array.from({ length: 40 }, (_, millis) => later(millis - 5));
  for (const instant of [...instants, ...[...instants].reverse()]) {
    const delivered = campaigns.filter((campaign) => isPublished(stateAt(campaign, instant)));
    const anew = configAt(delivered, instant);
    expect(read(configure(instant))).toMatchObject({ revision: anew.revision, campaigns: anew.campaigns });
  }
  expect(new Set(instants.map((instant) => configure(instant).revision)).size).toBe(
    new Set(instants.map((instant) => configure(instant).from)).size,
  );
});
