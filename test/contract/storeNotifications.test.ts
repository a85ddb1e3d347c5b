// docs/server/notification-kinds.md must have a row for each kind and subtype of notification that the store's library knows.
import { NotificationTypeV2, Subtype } from '@apple/app-store-server-library';
import { kindsOfPage } from '../support/notificationKinds.ts';

const kinds = kindsOfPage();
const unique = (words: string[]) => [...new Set(words)].sort();

test('the table has exactly the kinds of the library', () => {
  expect(unique(kinds.map(({ type }) => type))).toEqual(unique(Object.values(NotificationTypeV2)));
});

test('the table has exactly the subtypes of the library', () => {
  expect(unique(kinds.flatMap(({ subtype }) => subtype ?? []))).toEqual(unique(Object.values(Subtype)));
});

test('no row is there twice, and each says what changes', () => {
  const rows = kinds.map(({ type, subtype }) => `${type} ${subtype}`);
  expect(rows).toHaveLength(new Set(rows).size);
  expect(kinds.filter(({ change }) => change === '')).toEqual([]);
});
