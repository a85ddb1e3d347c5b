// The code must enforce the numbers of openapi.yaml, "Limits", which SDK developers read.
import { readFileSync } from 'node:fs';
import type { OpenAPIV3 } from 'openapi-types';
import { defaultAttemptLimits } from '../../src/accounts/attempts.ts';
import { maxFields, readJson } from '../../src/platform/json/readJson.ts';
import { loadPublicContract } from '../../src/http/publicContract.ts';
import { operations } from '../../src/http/publicOperations.ts';
import { inflatedLimit, inflationLimit, wireLimit } from '../../src/http/requestBody.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { loadPublicDocument, type PublicDocument } from '../support/publicDocument.ts';
import { responseExamples } from '../support/publicExamples.ts';

type Schema = OpenAPIV3.NonArraySchemaObject & { items?: Schema; 'x-limit-unit'?: string };

let document: PublicDocument;
beforeAll(async () => {
  document = await loadPublicDocument();
});

/** Every schema that a checked request body can reach, by its place; `*` stands for the items of an array. */
function requestSchemas(): Map<string, Schema> {
  const found = new Map<string, Schema>();
  for (const { operationId, requestBody } of document.getOperations()) {
    const body = (requestBody as OpenAPIV3.RequestBodyObject | undefined)?.content['application/json']?.schema;
    if (body) collect(operationId!, body as Schema, found);
  }
  return found;
}

function collect(place: string, schema: Schema, found: Map<string, Schema>): void {
  found.set(place, schema);
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    collect(`${place}.${name}`, property as Schema, found);
  if (schema.items) collect(`${place}.*`, schema.items, found);
  for (const branch of schema.oneOf ?? []) collect(`${place}|${(branch as Schema).type}`, branch as Schema, found);
}

const placesWhere = (holds: (schema: Schema, place: string) => boolean) =>
  [...requestSchemas()].filter(([place, schema]) => holds(schema, place)).map(([place]) => place);

test('the body is 2 MiB on the wire and 8 MiB inflated, in the code, in the text and in the examples', () => {
  expect([wireLimit, inflatedLimit]).toEqual([2_097_152, 8_388_608]);
  const { description } = document.definition.info;
  expect(description).toContain('2 MiB (2,097,152 bytes)');
  expect(description).toContain('8 MiB (8,388,608 bytes)');
  const limits = responseExamples(document).flatMap(({ status, value }) =>
    status === 413 ? [value as { unit: string; limit: number }] : [],
  );
  const shown = new Set(limits.map(({ unit, limit }) => `${limit} ${unit}`));
  expect([...shown].sort()).toEqual([
    '100000 values',
    '200 inflation',
    '2097152 bytes',
    '262144 bytes',
    '500 sessions',
    '500 transactions',
    '5000 events',
    '8388608 bytes',
  ]);
});

test('the values of a body, and what it may inflate to, are in the code, in the schema and in the text', async () => {
  const { description } = document.definition.info;
  const limits = Object.fromEntries(document.getOperations().map((each) => [each.operationId!, limitOf(each)]));
  const [sessions, reports, notification] = [100_000, 50_000, 1_000];
  expect(limits).toEqual({
    reportSessions: sessions,
    reportAttribution: reports,
    reportStoreTransactions: reports,
    receiveStoreNotification: notification,
    getCampaigns: undefined,
  });
  const contract = await loadPublicContract(projectFile('openapi.yaml'), Object.keys(operations));
  expect(contract.match('POST', '/api/v1/session')!.body!.maxValues).toBe(sessions);
  for (const limit of [sessions, reports, notification])
    expect(description).toContain(`| ${limit.toLocaleString('en')} | 413 \`values\` |`);
  expect(inflationLimit).toEqual({ times: 200, freeBytes: 524_288 });
  expect(description).toMatch(/more than 512 KiB \(524,288 bytes\)[^|]*\| 200 \| 413 `inflation` \|/);
});

const limitOf = (operation: object) => (operation as { 'x-max-values'?: number })['x-max-values'];

test('nesting is 32 deep', () => {
  const deep = (levels: number) => Buffer.from('{"a":'.repeat(levels) + '1' + '}'.repeat(levels));
  expect(readJson(deep(32)).fields).toBeUndefined();
  expect(readJson(deep(33)).fields).toHaveLength(1);
  expect(document.definition.info.description).toMatch(/\| Nesting of [^|]+ \| 32 \|/);
});

test('a 422 lists 100 fields, in the code, in the text and in the schema', () => {
  expect(maxFields).toBe(100);
  expect(document.definition.info.description).toContain('at most 100');
  const { properties } = document.definition.components!.schemas!['ValidationError'] as Schema;
  expect(properties!['fields']).toMatchObject({ maxItems: 100 });
});

test.each([
  ['reportSessions.sessions', { minItems: 1, maxItems: 500, 'x-limit-unit': 'sessions' }],
  ['reportSessions.sessions.*.events', { maxItems: 5_000, 'x-limit-unit': 'events' }],
  ['reportStoreTransactions.transactions', { minItems: 1, maxItems: 500, 'x-limit-unit': 'transactions' }],
  ['reportSessions.user.properties', { maxItems: 256 }],
  ['reportSessions.sessions.*.events.*.params', { maxItems: 256 }],
])('%s is counted', (place, limits) => {
  expect(requestSchemas().get(place)).toMatchObject(limits);
});

test('only the three arrays of 413 have a unit, and every array has a bound', () => {
  expect(placesWhere((schema) => 'x-limit-unit' in schema)).toHaveLength(3);
  expect(placesWhere(({ type, ...schema }) => (type as string) === 'array' && !('maxItems' in schema))).toEqual([]);
});

// A new text of a request must be an id or a name in this list, …
test('ids and names are 1 to 256 characters and not blank', () => {
  const nonBlank = placesWhere(({ type, pattern }) => type === 'string' && pattern !== undefined);
  expect(nonBlank.sort()).toEqual(
    [
      'reportSessions.device.id',
      'reportSessions.user.properties.*.name',
      'reportSessions.sessions.*.id',
      'reportSessions.sessions.*.events.*.id',
      'reportSessions.sessions.*.events.*.name',
      'reportSessions.sessions.*.events.*.params.*.name',
      'reportAttribution.device.id',
      'reportStoreTransactions.device.id',
      'reportStoreTransactions.transactions.*.id',
    ].sort(),
  );
  for (const place of nonBlank) {
    const { pattern, maxLength } = requestSchemas().get(place)!;
    const form = new RegExp(pattern!, 'u');
    expect(maxLength).toBe(256);
    for (const blank of ['', ' ', '\t\n\u000b\f\r', '\u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000'])
      expect(form.test(blank)).toBe(false);
    for (const filled of ['0', ' a ', '\u200b', '\ufeff', '\u180e', '🚀']) expect(form.test(filled)).toBe(true);
  }
});

// … or an identifier of at most 256 characters in this one, which may be empty, or have 8,192 characters as all others.
// There are no other lengths, so that an SDK has to know only two (docs/contributing/field.md, "In the contract").
test('every other string has a bound: 256 for identifiers that may be empty, 8,192 for the rest', () => {
  const given = 'reportAttribution.attribution.store_search_ads.';
  // No SDK sends it. It may fill the body of a notification.
  const ofStore = 'receiveStoreNotification.signedPayload';
  expect(requestSchemas().get(ofStore)).toMatchObject({ maxLength: 262_144 });
  const strings = [...requestSchemas()].filter(
    ([place, { type, enum: words }]) => type === 'string' && !words && !place.startsWith(given) && place !== ofStore,
  );
  const short = strings.filter(([, { maxLength, pattern }]) => maxLength === 256 && pattern === undefined);
  const names = new Set(short.map(([place]) => place.split('.').at(-1)));
  expect([...names].sort()).toEqual(['adId', 'country', 'external_id', 'id']);
  const others = strings.filter(([, { maxLength }]) => maxLength !== 256);
  expect(others.filter(([, { maxLength }]) => maxLength !== 8_192)).toEqual([]);
  expect(others.map(([place]) => place)).toContain('reportSessions.user.properties.*.value|string');
});

test('every payload that is stored as given has its bound of 65,536 bytes', () => {
  const open = placesWhere(({ additionalProperties }) => additionalProperties === true);
  expect(open.map((place) => place.split('.').at(-1))).toEqual([
    'provider_a',
    'store_search_ads',
    'provider_b',
    'custom',
  ]);
  expect(placesWhere((schema) => 'x-max-stored-bytes' in schema)).toEqual(open);
  for (const place of open) expect(requestSchemas().get(place)).toMatchObject({ 'x-max-stored-bytes': 65_536 });
  expect(document.definition.info.description).toMatch(/\| Each pass-through object: [^|]+ \| 65,536 bytes /);
});

test('integers go from 0 to 2^53 − 1, and seconds from 0 to the year 9999', () => {
  const integers = placesWhere(({ type }) => type === 'integer');
  expect(integers).toHaveLength(6);
  for (const place of integers) {
    expect(requestSchemas().get(place)).toMatchObject({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
  }
  const seconds = placesWhere(({ type, maximum }) => type === 'number' && maximum !== undefined);
  expect(seconds.map((place) => place.split('.').at(-1)).sort()).toEqual([
    'installDatetime',
    'lastSyncTS',
    'timestamp',
  ]);
  for (const place of seconds)
    expect(requestSchemas().get(place)).toMatchObject({ minimum: 0, maximum: 253_402_300_799 });
});

test('the reserved names are the nine system events of the specification', () => {
  expect(requestSchemas().get('reportSessions.sessions.*.events.*')).toMatchObject({
    'x-reserved-names': [
      'SdkInitialized',
      'ConfigFetchStarted',
      'ConfigFetchFinished',
      'SessionStarted',
      'SessionFinished',
      'CampaignShown',
      'EventTriggered',
      'CustomPropertyChanged',
      'CampaignResolved',
    ],
  });
});

test('requests are open and responses are closed', () => {
  expect(placesWhere((schema) => schema.additionalProperties === false)).toEqual([]);
  const open = document.getOperations().flatMap(({ operationId, responses }) =>
    Object.entries(responses).flatMap(([status, response]) => {
      const schema = (response as OpenAPIV3.ResponseObject).content?.['application/json']?.schema as Schema | undefined;
      const found = new Map<string, Schema>();
      if (schema) collect(`${operationId} ${status}`, schema, found);
      const objects = [...found].filter(([, { type }]) => type === 'object');
      return objects.filter(([, { additionalProperties }]) => additionalProperties !== false).map(([place]) => place);
    }),
  );
  expect(open).toEqual([]);
});

test('attempts are limited as the admin contract says', () => {
  const { perAccount, perAddress, windowSeconds } = defaultAttemptLimits;
  const said = `by default ${perAccount} per account and ${perAddress} per address in ${windowSeconds / 60} minutes`;
  const contract = readFileSync(projectFile('schema.graphql'), 'utf8').replaceAll(/\s+/g, ' ');
  expect(contract).toContain(said);
});
