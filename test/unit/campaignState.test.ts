// The states of a campaign: the effect of the clock, every allowed change of state, and the fields that a state requires.
import type { CampaignContent, CampaignState } from '../../src/campaigns/campaignRecord.ts';
import { allowedTransitions, boundariesOf, judgeMove, missingFor, stateAt } from '../../src/campaigns/campaignState.ts';
import { aCampaign, campaignStates } from '../support/campaigns.ts';

const now = new Date('2026-09-10T12:00:00Z');
const past = new Date(now.getTime() - 1);
const future = new Date(now.getTime() + 1);

/** The table of `CampaignState` in schema.graphql, written a second time. */
const moves = new Set([
  'DRAFT→SCHEDULED',
  'DRAFT→ACTIVE',
  'DRAFT→ARCHIVED',
  'SCHEDULED→DRAFT',
  'SCHEDULED→ACTIVE',
  'SCHEDULED→PAUSED',
  'SCHEDULED→ARCHIVED',
  'ACTIVE→PAUSED',
  'ACTIVE→FINISHED',
  'PAUSED→ACTIVE',
  'PAUSED→FINISHED',
  'PAUSED→ARCHIVED',
  'FINISHED→ARCHIVED',
]);
const pairs = campaignStates.flatMap((from) => campaignStates.map((to) => [from, to] as const));

test.each(pairs)('%s → %s', (from, to) => {
  const allowed = campaignStates.filter((state) => moves.has(`${from}→${state}`));
  const expected =
    from === to
      ? { outcome: 'unchanged' }
      : moves.has(`${from}→${to}`)
        ? { outcome: 'moved' }
        : { outcome: 'illegal', allowed };
  expect(judgeMove(aCampaign({ state: from, startAt: future }), to, now)).toEqual(expected);
  expect(allowedTransitions(from)).toEqual(allowed);
});

test.each<[CampaignState, Date | null, Date | null, CampaignState]>([
  ['SCHEDULED', future, null, 'SCHEDULED'],
  ['SCHEDULED', now, null, 'ACTIVE'],
  ['SCHEDULED', past, future, 'ACTIVE'],
  ['SCHEDULED', past, now, 'FINISHED'],
  ['SCHEDULED', future, past, 'FINISHED'],
  ['SCHEDULED', null, null, 'SCHEDULED'],
  ['ACTIVE', null, null, 'ACTIVE'],
  ['ACTIVE', future, null, 'ACTIVE'],
  ['ACTIVE', null, future, 'ACTIVE'],
  ['ACTIVE', null, now, 'FINISHED'],
  ['DRAFT', past, past, 'DRAFT'],
  ['PAUSED', past, past, 'PAUSED'],
  ['FINISHED', past, future, 'FINISHED'],
  ['ARCHIVED', past, future, 'ARCHIVED'],
])('stored %s from %s to %s is %s', (...[state, startAt, endAt, expected]) => {
  expect(stateAt({ state, startAt, endAt }, now)).toBe(expected);
});

test('moves start from the state that the clock has made', () => {
  const begun = aCampaign({ state: 'SCHEDULED', startAt: past });
  expect(judgeMove(begun, 'ACTIVE', now)).toEqual({ outcome: 'unchanged' });
  expect(judgeMove(begun, 'DRAFT', now)).toEqual({ outcome: 'illegal', allowed: ['PAUSED', 'FINISHED'] });
  const over = aCampaign({ state: 'ACTIVE', endAt: past });
  expect(judgeMove(over, 'PAUSED', now)).toEqual({ outcome: 'illegal', allowed: ['ARCHIVED'] });
  expect(judgeMove(over, 'FINISHED', now)).toEqual({ outcome: 'unchanged' });
});

describe('what a state needs', () => {
  const nothing: Partial<CampaignContent> = { trigger: null, action: null, endAt: now };
  test.each<[CampaignState, Partial<CampaignContent>, string[]]>([
    ['SCHEDULED', nothing, ['trigger', 'action', 'schedule.startAt', 'schedule.endAt']],
    ['ACTIVE', nothing, ['trigger', 'action', 'schedule.endAt']],
    ['ACTIVE', { endAt: future }, []],
    ['SCHEDULED', { startAt: past }, []],
    ['SCHEDULED', {}, ['schedule.startAt']],
    ['DRAFT', nothing, []],
    ['PAUSED', nothing, []],
    ['FINISHED', nothing, []],
    ['ARCHIVED', nothing, []],
  ])('%s with %j lacks %j', (state, fields, paths) => {
    expect(missingFor(state, aCampaign(fields), now).map(({ path }) => path)).toEqual(paths);
  });

  test('a move to it names all of it', () => {
    const draft = aCampaign({ state: 'DRAFT', trigger: null, action: null });
    expect(judgeMove(draft, 'ACTIVE', now)).toMatchObject({
      outcome: 'incomplete',
      fields: [{ path: 'trigger' }, { path: 'action' }],
    });
  });
});

test('the clock has boundaries only where it changes the state', () => {
  const both = { startAt: past, endAt: future };
  expect(boundariesOf({ state: 'SCHEDULED', ...both })).toEqual([past, future]);
  expect(boundariesOf({ state: 'SCHEDULED', startAt: future, endAt: past })).toEqual([past]);
  expect(boundariesOf({ state: 'ACTIVE', ...both })).toEqual([future]);
  for (const state of ['DRAFT', 'PAUSED', 'FINISHED', 'ARCHIVED'] as const) {
    expect(boundariesOf({ state, ...both })).toEqual([]);
  }
});
