// Shows are summed by campaign and device, and only where a batch has any.
import { suspectShows } from '../../src/campaigns/suspectShows.ts';
import { RawJson } from '../../src/platform/json/rawJson.ts';
import type { EventRow } from '../../src/sessions/upload.ts';
import { countIncrements } from '../../src/sessions/writer/batchRows.ts';
import { shownCampaigns } from '../../src/sessions/writer/shownCampaigns.ts';
import type { SessionAnchor } from '../../src/sessions/writer/uploadsStore.ts';

function anEvent(deviceKey: string, sessionId: string, outcomes: EventRow['outcomes']): EventRow {
  const params = new RawJson('{}') as unknown as EventRow['params'];
  const event = {
    applicationId: 'a',
    id: 'e',
    place: 0,
    system: true,
    name: 'n',
    occurredAt: 0,
    removesProperty: null,
  };
  return { ...event, deviceKey, sessionId, outcomes, params };
}

const shown = (campaignId: string): EventRow['outcomes'][number] => ({ campaignId, outcome: 'shown' });
const anchor = (anchoredOn: string): SessionAnchor => ({
  ...{ ref: '1', receivedAt: 0, isNew: true, isOpen: true },
  anchoredOn,
});
const anchors = new Map([
  ['d1\0s1', anchor('2026-01-02')],
  ['d1\0s2', anchor('2026-01-01')],
  ['d2\0s1', anchor('2026-01-02')],
]);

test('by campaign and device, in their order, with the first day of the sessions', () => {
  const events = [
    anEvent('d2', 's1', [shown('c2')]),
    anEvent('d1', 's1', [shown('c1')]),
    anEvent('d1', 's1', [{ campaignId: 'c1', outcome: 'resolved:Completed' }]),
    anEvent('d1', 's2', [shown('c1')]),
    anEvent('d1', 's1', [shown('c1'), shown('c2')]),
  ];
  const rows = [
    ['c1', 'd1', 3, '2026-01-01'],
    ['c2', 'd1', 1, '2026-01-02'],
    ['c2', 'd2', 1, '2026-01-02'],
  ];
  const found = shownCampaigns(events, countIncrements(events), anchors);
  const columns = found.map(({ campaignId, deviceKey, shows, anchoredOn }) => [
    campaignId,
    deviceKey,
    shows,
    anchoredOn,
  ]);
  expect(columns).toEqual(rows);
});

test('without a show no event is looked at', () => {
  const unseen = new Proxy<EventRow[]>([], {
    get() {
      throw new Error('for this test');
    },
  });
  expect(shownCampaigns(unseen, [], anchors)).toEqual([]);
  const increment = { campaignId: 'c1', applicationId: 'a', outcome: 'resolved:Completed', count: 1 };
  expect(shownCampaigns(unseen, [increment], anchors)).toEqual([]);
});

test.each<[number | null, number | null, boolean, number, number]>([
  [null, 1, false, 1, 9],
  [null, 1, true, 1, 8],
  [3, null, false, 1, 7],
  [3, 1, false, 2, 8],
  [3, 1, false, 100, 7],
  [100, 100, false, 1, 0],
  [null, 5, false, 0, 10],
])('of ten shows with the caps %j and %j a session (another day: %j), %i sessions: %i', (...given) => {
  const [most, perSession, continued, sessions, suspect] = given;
  expect(suspectShows({ shows: 10, most, perSession, continued }, sessions)).toBe(suspect);
});
