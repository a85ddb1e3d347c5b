// The noun of places in line: what an upload has looked up, and where it waits (openapi.yaml, "Look-up in the store").
import { lineUp, type NamedTransaction } from '../../src/purchases/lineUp.ts';

const now = new Date('2026-09-10T00:00:00Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
const stored: Omit<NamedTransaction, 'id'> = {
  ...{ isNew: false, isNewToDevice: false, takesRoom: false, state: 'PENDING', reason: null, behind: false },
  lastLookedUpAt: null,
};
const placed = (fields: Partial<NamedTransaction>, { proven = true, places = 1, further = 1 } = {}) => {
  const [place] = lineUp([{ ...stored, id: 'id', ...fields }], { proven, places, further, now });
  return place ? place.behind : 'as it is';
};
const unproven = { proven: false };

test.each<[string, Partial<NamedTransaction>, ...unknown[]]>([
  ['a new one', { isNew: true }, false, true],
  ['one that waits for a place', { reason: 'waiting_in_line', behind: true }, false, true],
  ['one that is queued', {}, 'as it is', 'as it is'],
  ['one that is queued behind', { behind: true }, false, 'as it is'],
  ['one that waits for credentials', { reason: 'no_credentials' }, 'as it is', 'as it is'],
  ['one that waits for credentials behind', { reason: 'no_credentials', behind: true }, false, 'as it is'],
  ['one that was looked up a minute ago', { state: 'RESOLVED', lastLookedUpAt: ago(60) }, 'as it is', 'as it is'],
  ['one that was looked up before', { state: 'RESOLVED', lastLookedUpAt: ago(61) }, false, true],
  ['one that was not found before', { state: 'NOT_FOUND', lastLookedUpAt: ago(61) }, false, true],
  ['one that failed before', { state: 'FAILED', reason: 'wrong_bundle', lastLookedUpAt: ago(61) }, false, true],
  ['one that is not known yet', { reason: 'not_known_yet', lastLookedUpAt: ago(61), behind: true }, false, true],
  ['a renewal of which the store has told', { state: 'RESOLVED' }, false, true],
  [
    'one that somebody else named a moment ago, before it was sold',
    { isNewToDevice: true, reason: 'not_known_yet', lastLookedUpAt: ago(1) },
    false,
    'as it is',
  ],
  [
    'one that another device has resolved a moment ago',
    { isNewToDevice: true, state: 'RESOLVED', lastLookedUpAt: ago(1) },
    'as it is',
    'as it is',
  ],
])('%s: from a proven device behind is %p, from another one %p', (_, fields, ...wanted) => {
  expect([placed(fields), placed(fields, unproven)]).toEqual(wanted);
});

test('what moves forward is asked for only where nobody has asked yet', () => {
  const asks = (fields: Partial<NamedTransaction>) =>
    lineUp([{ ...stored, id: 'id', behind: true, ...fields }], { proven: true, places: 1, now })[0]!.asks;
  expect([asks({}), asks({ reason: 'no_credentials' }), asks({ lastLookedUpAt: ago(1) })]).toEqual([
    true,
    false,
    false,
  ]);
});

test('without a place', () => {
  const full = { places: 0 };
  const again = { state: 'RESOLVED', lastLookedUpAt: ago(61) };
  expect([placed({ isNew: true }, full), placed({ behind: true }, full), placed(again, full)]).toEqual([
    true,
    'as it is',
    true,
  ]);
  const noneBehind = { ...full, further: 0 };
  expect([placed({ isNew: true }, noneBehind), placed(again, noneBehind)]).toEqual([null, 'as it is']);
  const none = { ...unproven, ...full };
  const waiting = { reason: 'waiting_in_line', behind: true };
  expect([placed({ isNew: true }, none), placed(waiting, none), placed(again, none)]).toEqual([
    null,
    'as it is',
    'as it is',
  ]);
});

test('nobody moves back what waits in front', () => {
  const retried = { reason: 'not_known_yet', lastLookedUpAt: ago(61) };
  const none = { places: 0 };
  expect([placed(retried, none), placed(retried, { ...unproven, ...none }), placed(retried, unproven)]).toEqual([
    false,
    false,
    false,
  ]);
  expect(placed({ ...retried, behind: true }, unproven)).toBe(true);
});

test('places are given in the order of the upload', () => {
  const all = ['a', 'b', 'c'].map((id) => ({ ...stored, id, isNew: true }));
  const places = (proven: boolean) => lineUp(all, { proven, places: 2, further: 1, now }).map((one) => one.behind);
  expect([places(true), places(false)]).toEqual([
    [false, false, true],
    [true, true, null],
  ]);
});

test('of a proven device those that wait in front already keep their room', () => {
  const all = ['a', 'b', 'c'].map((id, index) => ({ ...stored, id, isNew: index > 0, takesRoom: index === 0 }));
  expect(lineUp(all, { proven: true, places: 2, further: 1, now }).map(({ id, behind }) => [id, behind])).toEqual([
    ['b', false],
    ['c', true],
  ]);
});
