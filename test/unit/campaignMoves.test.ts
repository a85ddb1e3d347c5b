// The moves that the clock has made since the state that the last event told.
import { chain, movesByClock, nextBoundary } from '../../src/campaigns/campaignMoves.ts';
import type { CampaignState } from '../../src/campaigns/campaignRecord.ts';

const day = (date: number) => new Date(Date.UTC(2026, 2, date));
const [start, end] = [day(10), day(20)];
const scheduled = { state: 'SCHEDULED' as const, startAt: start, endAt: end };

interface Case {
  told: CampaignState;
  campaign?: Parameters<typeof movesByClock>[1];
  now: Date;
  moves: string[];
}

test.each<[string, Case]>([
  ['before the start', { told: 'SCHEDULED', now: day(9), moves: [] }],
  ['at the start', { told: 'SCHEDULED', now: start, moves: ['SCHEDULED → ACTIVE'] }],
  ['after a start that was told', { told: 'ACTIVE', now: day(15), moves: [] }],
  ['at the end', { told: 'ACTIVE', now: end, moves: ['ACTIVE → FINISHED'] }],
  ['after both', { told: 'SCHEDULED', now: day(30), moves: ['SCHEDULED → ACTIVE', 'ACTIVE → FINISHED'] }],
  ['after an end that was told', { told: 'FINISHED', now: day(30), moves: [] }],
  [
    'an end without a start',
    { told: 'SCHEDULED', campaign: { ...scheduled, startAt: day(25) }, now: day(30), moves: ['SCHEDULED → FINISHED'] },
  ],
  [
    'started by hand',
    { told: 'ACTIVE', campaign: { ...scheduled, state: 'ACTIVE' }, now: day(30), moves: ['ACTIVE → FINISHED'] },
  ],
  ['paused', { told: 'PAUSED', campaign: { ...scheduled, state: 'PAUSED' }, now: day(30), moves: [] }],
])('%s', (_, { told, campaign = scheduled, now, moves }) => {
  expect(movesByClock(told, campaign, now).map(({ from, to }) => `${from} → ${to}`)).toEqual(moves);
});

test('a move by the clock happened at the time of the schedule', () => {
  expect(movesByClock('SCHEDULED', scheduled, day(30)).map(({ at }) => at)).toEqual([start, end]);
});

test('a step to the same state is no move', () => {
  expect(chain('ACTIVE', [{ to: 'ACTIVE', at: start }])).toEqual([]);
});

test('the next boundary lies ahead', () => {
  expect([day(9), start, end].map((now) => nextBoundary(scheduled, now))).toEqual([start, end, null]);
});
