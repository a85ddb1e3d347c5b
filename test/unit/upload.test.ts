// Merging entries of one session: the result must not depend on their order.
import fc from 'fast-check';
import { eventKey, mergeSessions, sessionKey, type EventRow, type SessionRow } from '../../src/sessions/upload.ts';

const receivedAt = 1_000;

const row = (fields: Partial<SessionRow>): SessionRow => ({
  deviceKey: 'd',
  applicationId: 'a',
  id: 's',
  globalNumber: 3,
  versionNumber: 2,
  startedAt: 100,
  utcOffsetMinutes: 60,
  finishedAt: null,
  userId: null,
  userAt: 0,
  ...fields,
});

type Fields = Partial<SessionRow>;

test.each<[string, [Fields, Fields], Fields]>([
  ['null then a value', [{}, { finishedAt: 200 }], { finishedAt: 200 }],
  ['two ends', [{ finishedAt: 200 }, { finishedAt: 150 }], { finishedAt: 200 }],
  ['an end before 1970', [{ finishedAt: -5 }, { finishedAt: null }], { finishedAt: -5 }],
  ['an end at 0', [{ finishedAt: 0 }, {}], { finishedAt: 0 }],
  ['no end', [{}, {}], { finishedAt: null }],
  ['two starts', [{ startedAt: 100 }, { startedAt: 99.5 }], { startedAt: 99.5 }],
  ['a start in the far future', [{ startedAt: 2_000 }, { startedAt: 900 }], { startedAt: 900 }],
  ['a start in 1970', [{ startedAt: -1e9 }, { startedAt: 900 }], { startedAt: 900 }],
  ['two starts in 1970', [{ startedAt: -1e9 }, { startedAt: -2e9 }], { startedAt: -2e9 }],
  ['an end in the far future', [{ finishedAt: 9_000 }, { finishedAt: 200 }], { finishedAt: 200 }],
  ['two ends in the far future', [{ finishedAt: 9_000 }, { finishedAt: 8_000 }], { finishedAt: 9_000 }],
  ['an end in 1970', [{ finishedAt: -1e9 }, { finishedAt: 200 }], { finishedAt: 200 }],
  ['dates five minutes ahead', [{ finishedAt: 1_300 }, { finishedAt: 1_301 }], { finishedAt: 1_300 }],
  [
    'offsets of two starts',
    [
      { startedAt: 90, utcOffsetMinutes: 0 },
      { startedAt: 95, utcOffsetMinutes: -60 },
    ],
    { startedAt: 90, utcOffsetMinutes: 0 },
  ],
  ['offsets of one start', [{ utcOffsetMinutes: 60 }, { utcOffsetMinutes: -60 }], { utcOffsetMinutes: -60 }],
  [
    'users',
    [
      { userId: 'a', userAt: 2 },
      { userId: null, userAt: 1 },
    ],
    { userId: 'a', userAt: 2 },
  ],
  ['numbers', [{ globalNumber: 5, versionNumber: 1 }, {}], { globalNumber: 3, versionNumber: 1 }],
])('%s merge alike in both orders', (_, [one, other], merged) => {
  expect(mergeSessions(row(one), row(other), receivedAt)).toEqual(row(merged));
  expect(mergeSessions(row(other), row(one), receivedAt)).toEqual(row(merged));
});

test('of users of one time, the one that arrives later holds', () => {
  expect(mergeSessions(row({ userId: 'a' }), row({ userId: 'b' }), receivedAt).userId).toBe('b');
});

test('any number of entries merge to one result in every order', () => {
  const date = fc.constantFrom(-2e9, -1e9, 0, 90, 100, 1_300, 1_301, 5_000);
  const entry = fc.record({
    globalNumber: fc.nat(9),
    versionNumber: fc.nat(9),
    startedAt: date,
    utcOffsetMinutes: fc.constantFrom(-60, 0, 60),
    finishedAt: fc.option(date),
  });
  const entries = fc
    .array(entry, { minLength: 1, maxLength: 6 })
    .map((all) => all.map((fields, at) => row({ ...fields, userId: `user-${at}`, userAt: at })));
  const shuffled = entries.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
  );
  const merge = (all: SessionRow[]) => all.reduce((one, other) => mergeSessions(one, other, receivedAt));
  fc.assert(fc.property(shuffled, ([all, other]) => expect(merge(other)).toEqual(merge(all))));
});

test('keys of sessions and events never meet, however their parts are cut', () => {
  expect(sessionKey({ deviceKey: 'd' }, 'ab')).not.toBe(sessionKey({ deviceKey: 'da' }, 'b'));
  const event = (sessionId: string, id: string) => eventKey({ deviceKey: 'd', sessionId, id } as EventRow);
  expect(new Set([event('a', 'bc'), event('ab', 'c'), event('abc', ''), event('', 'abc')]).size).toBe(4);
});
