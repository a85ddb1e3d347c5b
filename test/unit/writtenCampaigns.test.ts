// Campaigns are written once: each can be left out of the bytes, and adjacent campaigns are sent without a copy.
import { onlyThese, writtenCampaigns } from '../../src/campaigns/writtenCampaigns.ts';
import type { Config } from '../support/campaigns.ts';

type Campaign = Config['campaigns'][number];

const names = ['a', 'ü', '日本', '"},{"'];
const written = writtenCampaigns(
  names.map((name) => {
    const campaign = { name, targeting: { countries: [name] } } as unknown as Campaign;
    return { campaign, json: JSON.stringify(campaign) };
  }),
);

/** Every subset of the campaigns, as bits. */
const choices = Array.from({ length: 1 << names.length }, (_, bits) => names.map((_, index) => (bits >> index) & 1));

test('every choice of them is a list of those, in order', () => {
  for (const choice of choices) {
    const some = written.campaigns.filter((_, index) => choice[index]);
    const list = JSON.parse(`[${onlyThese(written.bytes, some).toString()}]`) as Campaign[];
    expect(list.map(({ name }) => name)).toEqual(names.filter((_, index) => choice[index]));
  }
});

test('each keeps the targeting that decides who is sent it', () => {
  expect(written.campaigns.map(({ targeting }) => targeting.countries)).toEqual(names.map((name) => [name]));
});

test('neighbours are sent from the bytes of all', () => {
  for (const some of [written.campaigns, written.campaigns.slice(1, 3), written.campaigns.slice(3)]) {
    expect(onlyThese(written.bytes, some).buffer).toBe(written.bytes.buffer);
  }
});
