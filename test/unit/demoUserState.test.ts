// The delta of user properties in the reference SDK: first all of them, then the changes; an older removal never deletes a newer value.
import {
  acknowledgeUser,
  changeUser,
  newUserState,
  userReport,
  type UserState,
  type Users,
} from '../tools/demo/sdk/userState.ts';
import { customPropertyChanged } from '../tools/demo/sdk/systemEvents.ts';
import type { Session } from '../tools/demo/sdk/wire.ts';

const date = '2026-11-21T10:00:00Z';
const removalOfPlan: Session = {
  id: 's',
  number: { global: 1, version: 1 },
  startDate: date,
  events: [
    { id: 'e', timestamp: 0, date, ...customPropertyChanged({ key: 'plan', oldValue: 'free', newValue: undefined }) },
  ],
};

function userWith(properties: Record<string, string>, state: Partial<UserState> = {}): UserState {
  return { ...newUserState(), properties: new Map(Object.entries(properties)), ...state };
}

test('sends the whole set until an upload was acknowledged', () => {
  expect(userReport(userWith({ plan: 'pro', level: '7' }), [])).toEqual({
    id: null,
    lastSyncTS: null,
    properties: [
      { name: 'plan', value: 'pro' },
      { name: 'level', value: '7' },
    ],
  });
});

test('sends at most 256 at once, and the rest with the next uploads', () => {
  const names = Array.from({ length: 600 }, (_, index) => `p${index}`);
  const user = userWith(Object.fromEntries(names.map((name) => [name, 'x'])), { changed: new Set(names) });
  const uploads = [1, 2, 3, 4].map((syncedAt) => {
    const sent = userReport(user, []);
    acknowledgeUser(user, sent, syncedAt);
    return sent;
  });
  expect(uploads.map(({ lastSyncTS, properties }) => [lastSyncTS, properties?.length])).toEqual([
    [null, 256],
    [1, 256],
    [2, 88],
    [3, 0],
  ]);
  expect(new Set(uploads.flatMap(({ properties }) => properties!.map(({ name }) => name))).size).toBe(600);
});

test('then sends what changed, and keeps what changed again meanwhile', () => {
  const user = userWith(
    { plan: 'pro', level: '7', theme: 'dark' },
    { lastSyncTS: 5, changed: new Set(['plan', 'level']) },
  );
  const sent = userReport(user, []);
  expect(sent.properties?.map(({ name }) => name)).toEqual(['plan', 'level']);
  user.properties.set('level', '8');
  acknowledgeUser(user, sent, 9);
  expect([user.lastSyncTS, [...user.changed]]).toEqual([9, ['level']]);
});

test('names the current value of a property whose removal it reports', () => {
  const synced = { lastSyncTS: 5 };
  expect(userReport(userWith({ plan: 'pro' }, synced), [removalOfPlan]).properties).toEqual([
    { name: 'plan', value: 'pro' },
  ]);
  expect(userReport(userWith({}, synced), [removalOfPlan]).properties).toEqual([]);
});

test('a login keeps the properties and sends the whole set; another user and a logout begin with none', () => {
  const anonymous = userWith({ plan: 'pro', level: '7' }, { lastSyncTS: 5, changed: new Set(['level']) });
  const users: Users = { user: anonymous, formerUsers: [] };
  const sent = userReport(anonymous, []);
  changeUser(users, 'A');
  acknowledgeUser(anonymous, sent, 9);
  const whole = { id: 'A', lastSyncTS: null, properties: [{ name: 'plan' }, { name: 'level' }] };
  expect(userReport(users.user, [])).toMatchObject(whole);
  acknowledgeUser(users.user, userReport(users.user, []), 10);
  for (const id of ['B', null]) {
    changeUser(users, id);
    expect(userReport(users.user, [])).toEqual({ id, lastSyncTS: null, properties: [] });
  }
  expect(users.formerUsers.map(({ id, number }) => [id, number])).toEqual([
    [null, 0],
    ['A', 1],
    ['B', 2],
  ]);
  expect([...users.formerUsers[1]!.properties.keys()]).toEqual(['plan', 'level']);
});
