// System events in the service: counts per campaign, and properties that are removed.
import { campaignOutcomes, looksUpParams, removedProperty } from '../../src/sessions/systemEvents.ts';
import type { PropertyValue } from '../../src/platform/json/propertyJson.ts';

const campaignId = '6f1f0d5e-8c1b-4d3e-9a57-2f4f6f0f3a10';
const params = (object: Record<string, PropertyValue>) => new Map(Object.entries(object));
const outcomesOf = (name: string, object: Record<string, PropertyValue>) =>
  campaignOutcomes(name, params(object)).map(({ outcome }) => outcome);

describe('campaign outcomes', () => {
  test('of CampaignShown are one, under the id in lower case', () => {
    const outcomes = campaignOutcomes('CampaignShown', params({ campaignId: campaignId.toUpperCase(), source: 'X' }));
    expect(outcomes).toEqual([{ campaignId, outcome: 'shown' }]);
  });

  test.each(['Completed', 'Dismissed', 'SkippedNoPresenter', 'SkippedNoContinuation'])(
    'of CampaignResolved with %s are one, whatever reason stands beside it',
    (result) => {
      expect(outcomesOf('CampaignResolved', { campaignId, result })).toEqual([`resolved:${result}`]);
      expect(outcomesOf('CampaignResolved', { campaignId, result, unavailableReason: 'TimedOut' })).toEqual([
        `resolved:${result}`,
      ]);
    },
  );

  test.each(['TimedOut', 'PresenterFailed', 'PresenterReported'])('of Unavailable with %s are two', (reason) => {
    const given = { campaignId, result: 'Unavailable', unavailableReason: reason };
    expect(outcomesOf('CampaignResolved', given)).toEqual(['resolved:Unavailable', `unavailable:${reason}`]);
  });

  test.each<[string, Record<string, PropertyValue>]>([
    ['without a reason', { campaignId, result: 'Unavailable' }],
    ['with an unknown reason', { campaignId, result: 'Unavailable', unavailableReason: 'timedOut' }],
    ['with a reason that is no text', { campaignId, result: 'Unavailable', unavailableReason: 1 }],
  ])('of Unavailable %s are only the result', (_, given) => {
    expect(outcomesOf('CampaignResolved', given)).toEqual(['resolved:Unavailable']);
  });

  test.each<[string, string, Record<string, PropertyValue>]>([
    ['an unknown result', 'CampaignResolved', { campaignId, result: 'completed' }],
    ['no result', 'CampaignResolved', { campaignId }],
    ['a result that is no text', 'CampaignResolved', { campaignId, result: true }],
    ['no campaign', 'CampaignShown', { source: 'X' }],
    ['a campaign id that is no UUID', 'CampaignShown', { campaignId: `${campaignId}0` }],
    ['a campaign id that is a number', 'CampaignShown', { campaignId: 5n }],
    ['another event', 'EventTriggered', { campaignId, result: 'Completed' }],
    ['an event in other letters', 'campaignShown', { campaignId }],
  ])('are none for %s', (_, name, given) => {
    expect(outcomesOf(name, given)).toEqual([]);
  });
});

test.each(['CampaignShown', 'CampaignResolved', 'CustomPropertyChanged', 'EventTriggered', 'SessionStarted'])(
  'whatever %s makes of its parameters, it is said to look them up',
  (name) => {
    const all = { campaignId, result: 'Completed', key: 'plan' };
    const makesSomething = outcomesOf(name, all).length > 0 || removedProperty(name, params(all)) !== null;
    expect(looksUpParams(name)).toBe(makesSomething);
  },
);

describe('a removed property', () => {
  test('is the one named, when newValue is absent, whatever its value was', () => {
    expect(removedProperty('CustomPropertyChanged', params({ key: 'plan', oldValue: 'pro' }))).toBe('plan');
    for (const newValue of ['', 0, false, 7n]) {
      expect(removedProperty('CustomPropertyChanged', params({ key: 'plan', newValue }))).toBeNull();
    }
  });
  test('may have any name, and needs one', () => {
    expect(removedProperty('CustomPropertyChanged', params({ key: '' }))).toBe('');
    expect(removedProperty('CustomPropertyChanged', params({ key: 5 }))).toBeNull();
    expect(removedProperty('CustomPropertyChanged', params({}))).toBeNull();
    expect(removedProperty('SomethingElse', params({ key: 'plan' }))).toBeNull();
  });
});
