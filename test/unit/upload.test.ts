// Merging two entries of one session: the result must not depend on their order.
import { eventKey, mergeSessions, sessionKey, type EventRow, type SessionRow } from '../../src/sessions/upload.ts';

const row = (fields: Partial<SessionRow>): SessionRow => ({
  deviceKey: 'd',
  applicationId: 'a',
  id: 's',
  globalNumber: 3,
  versionNumber: 2,
  startedAt: 100,
  finishedAt: null,
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
  ['numbers', [{ globalNumber: 5, versionNumber: 1 }, {}], { globalNumber: 3, versionNumber: 1 }],
])('%s merge alike in both orders', (_, [one, other], merged) => {
  expect(mergeSessions(row(one), row(other))).toEqual(row(merged));
  expect(mergeSessions(row(other), row(one))).toEqual(row(merged));
});

test('three entries merge to one result in all six orders', () => {
  const entries = [
    row({ startedAt: 100, finishedAt: null, globalNumber: 9 }),
    row({ startedAt: 90, finishedAt: 300, globalNumber: 7, versionNumber: 1 }),
    row({ startedAt: 95, finishedAt: 250, globalNumber: 8, versionNumber: 4 }),
  ];
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];
  for (const order of orders) {
    const merged = order.map((index) => entries[index]!).reduce(mergeSessions);
    expect(merged).toEqual(row({ startedAt: 90, finishedAt: 300, globalNumber: 7, versionNumber: 1 }));
  }
});

test('keys of sessions and events never meet, however their parts are cut', () => {
  expect(sessionKey({ deviceKey: 'd' }, 'ab')).not.toBe(sessionKey({ deviceKey: 'da' }, 'b'));
  const event = (sessionId: string, id: string) => eventKey({ deviceKey: 'd', sessionId, id } as EventRow);
  expect(new Set([event('a', 'bc'), event('ab', 'c'), event('abc', ''), event('', 'abc')]).size).toBe(4);
});
