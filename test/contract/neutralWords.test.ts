// No contract, table or name contains a vendor's brand: `store`, `provider_a`, `provider_b` and `store_search_ads` replace brands.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { sourceFiles } from '../support/sourceFiles.ts';

/** Distinctive enough to be refused inside any word, in comments and descriptions too. */
const brands = [
  ...['apple', 'google', 'itunes', 'app_?store', 'play_?store', 'storekit', 'testflight', 'skadnetwork', 'admob'],
  ...['appsflyer', 'kochava', 'tenjin', 'airbridge', 'firebase', 'facebook', 'mixpanel', 'amplitude', 'onesignal'],
  ...[
    'huawei',
    'samsung',
    'xiaomi',
    'microsoft',
    'amazon',
    'revenuecat',
    'adapty',
    'qonversion',
    'clevertap',
    'leanplum',
  ],
];
/** Brands that are ordinary words too: refused only where they are a name, that is before `_`, a capital or a colon. */
const ordinary = ['adjust', 'branch', 'singular', 'segment', 'braze'];

function brandsIn(text: string): string[] {
  // What a package and its exports are called is not ours to choose; what we call them is.
  const ours = text.replaceAll(/^import [^;]* from '[^.][^']*';$|import\('[^'.][^']*'\)/gm, '');
  const found = [...ours.matchAll(new RegExp(brands.join('|'), 'gi'))].map(([word]) => word);
  const names = new RegExp(`\\b(${ordinary.join('|')})(?=_|[A-Z]|:)`, 'g');
  return [...found, ...[...ours.matchAll(names)].map(([word]) => word)];
}

function migrations(): string[] {
  const folder = projectFile('prisma', 'migrations');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.sql')).map((name) => path.join('prisma', 'migrations', name));
}

test.each(['openapi.yaml', 'schema.graphql', path.join('prisma', 'schema.prisma'), ...migrations()])(
  '%s names no vendor',
  (file) => {
    expect(brandsIn(readFileSync(projectFile(file), 'utf8'))).toEqual([]);
  },
);

/** Words that are data: what the store's protocol demands in a token or a notification. */
const data: Record<string, RegExp> = {
  'test/tools/demo/fakeStore/fakeStore.ts': /'appstoreconnect-v1'/g,
  'test/tools/demo/fakeStore/notifications.ts': /appAppleId/g,
  'test/integration/receiveStoreNotification.test.ts': /appAppleId/g,
  'src/purchases/signedData.ts': /'appAppleId'/g,
};

test('no file of src names a vendor, in its name or its text', () => {
  const found = sourceFiles().flatMap(({ name, text }) =>
    brandsIn(`${name}\n${text.replaceAll(data[name] ?? /(?!)/g, '')}`).map((word) => `${name}: ${word}`),
  );
  expect(found).toEqual([]);
});

test('a brand would be found wherever it stands, and a package may bear one', () => {
  expect(brandsIn('appleId, GOOGLE_ADS, "appStore", app_store, adjust_id, branchKey, segment: 1')).toHaveLength(7);
  expect(brandsIn("import { X } from '@apple/app-store-server-library';\nadjust the branch of this segment")).toEqual(
    [],
  );
  expect(brandsIn("import { X } from './appleClient.ts';")).toEqual(['apple']);
});
