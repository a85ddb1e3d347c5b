// What a person types on the dashboard, as it is asked for: lists, values of filters, versions, addresses, and blanks.
import fc from 'fast-check';
import { z } from 'zod';
import { readDeviceFilters, versionNumber as serviceVersion } from '../../src/analytics/questionInput.ts';
import {
  filters,
  listedText,
  problemOf,
  readAs,
  textOf,
  typedValue,
  wordsOf,
  type Filter,
} from '../../src/dashboard/parts/filters.ts';
import {
  flag,
  json,
  parseSearch,
  stringifySearch,
  text,
  wholeNumber,
} from '../../src/dashboard/parts/searchParameters.ts';
import {
  blankWords,
  splitAtCommas,
  splitValues,
  typedVersion,
  versionHint,
  versionNumber,
  versionText,
  writtenList,
} from '../../src/dashboard/parts/values.ts';
import { inputRules } from '../../src/platform/inputRules.ts';
import { loadVectors } from '../tools/conformance/vectors.ts';

const textsOf = (typed: string): string[] => splitValues(typed).map(({ text }) => text);

test.each([
  ['iPhone15,2, iPhone15,3', ['iPhone15,2', 'iPhone15,3']],
  ['"iPhone15,2", "iPhone15,3"', ['iPhone15,2', 'iPhone15,3']],
  ['"iPhone15,2","iPhone15,3"', ['iPhone15,2', 'iPhone15,3']],
  ['iPhone15\\,2, iPhone15\\,3', ['iPhone15,2', 'iPhone15,3']],
  ['iPhone15,2,\niPhone15,3,', ['iPhone15,2', 'iPhone15,3']],
  ['iPhone15,2\r\niPhone15,3', ['iPhone15,2', 'iPhone15,3']],
  ['a,b', ['a,b']],
  ['US,DE, FR', ['US,DE', 'FR']],
  ['a\\, b, c', ['a, b', 'c']],
  ['"say ""hi""", x', ['say "hi"', 'x']],
  ['5" screen, 6" screen', ['5" screen', '6" screen']],
  ['"unclosed, b', ['"unclosed', 'b']],
  ['"a"b, c', ['"a"b', 'c']],
  ['"   ", ""', ['   ', '']],
  ['"two\nlines"', ['two\nlines']],
  [' a ,  b , , ', ['a', 'b']],
  [' , ', []],
  ['', []],
  ['C:\\dir\\, x', ['C:\\dir, x']],
])('the list %j has the values %j', (typed, values) => {
  expect(textsOf(typed)).toEqual(values);
});

test('a list that was typed without blanks is split at every comma on demand', () => {
  expect(textsOf(splitAtCommas('US,DE,"a,b",c\\,d'))).toEqual(['US', 'DE', 'a,b', 'c,d']);
});

const strangeText = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', '1', ',', ' ', '"', '\\', '\n', '.', '-', '\u00a0'), maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 5 }).map((text) => text.replaceAll('\r', '')),
);

test('every text can be written in a list and is read again', () => {
  fc.assert(fc.property(fc.array(strangeText), (texts) => expect(textsOf(writtenList(texts))).toEqual(texts)));
});

const of = (op: Filter['op'], scope: Filter['scope'] = 'EVENT', property = 'p') => ({ op, scope, property });

test('every value of a filter is shown as the text that is typed for it', () => {
  const value = fc.oneof(strangeText, fc.boolean(), fc.integer(), fc.constantFrom(0.5, -1.25, 1e-7 + 1));
  fc.assert(
    fc.property(fc.array(value, { minLength: 1 }), (values) => {
      expect(typedValue(values.map(listedText).join(', '), of('IN'))).toEqual(values);
      for (const one of values) expect(typedValue(textOf(one), of('EQ'))).toEqual(one);
    }),
  );
});

test.each<[string, Pick<Filter, 'op' | 'scope' | 'property'>, Filter['value']]>([
  ['5', of('EQ'), 5],
  ['9.90', of('EQ'), 9.9],
  ['"5"', of('EQ'), '5'],
  ['007', of('EQ'), '007'],
  ['723421968459640832', of('EQ'), '723421968459640832'],
  ['9007199254740993', of('EQ'), '9007199254740993'],
  ['0.12345678901234567890', of('EQ'), '0.12345678901234567890'],
  ['662E41', of('EQ'), '662E41'],
  ['null', of('EQ'), 'null'],
  ['true', of('EQ'), true],
  ['true', of('GTE'), 'true'],
  ['5', of('CONTAINS'), '5'],
  ['   ', of('EQ'), '   '],
  [' 5', of('EQ'), ' 5'],
  ['iPhone15,2, iPhone15,3', of('EQ'), 'iPhone15,2, iPhone15,3'],
  ['iPhone15,2, iPhone15,3', of('IN', 'DEVICE', 'deviceModel'), ['iPhone15,2', 'iPhone15,3']],
  ['5, "5", true', of('NOT_IN'), [5, '5', true]],
  ['5, true', of('IN', 'DEVICE', 'deviceModel'), ['5', 'true']],
  ['2.14.3', of('EQ', 'DEVICE', 'appVersion'), '2.14.3'],
  ['2.14', of('GTE', 'DEVICE', 'osVersion'), '2.14'],
  [' 3.2.1 ', of('LT', 'DEVICE', 'sdkVersion'), '3.2.1'],
  ['2014003', of('EQ', 'DEVICE', 'appVersion'), 2014003],
  ['2.14, 3.2.1, 2014003', of('IN', 'DEVICE', 'appInstallVersion'), ['2.14', '3.2.1', 2014003]],
  ['2.14', of('EQ', 'USER', 'appVersion'), 2.14],
])('typed %j with %j is %j', (typed, filter, value) => {
  expect(typedValue(typed, filter)).toEqual(value);
  expect(problemOf(typed, filter)).toBeNull();
});

test.each([
  ['', of('EQ')],
  [' , ', of('IN')],
  ['""', of('CONTAINS')],
  ['v2.14', of('EQ', 'DEVICE', 'appVersion')],
  ['2.1000', of('EQ', 'DEVICE', 'appVersion')],
  ['2.14, beta', of('IN', 'DEVICE', 'appVersion')],
  ['99999999999999999999', of('EQ', 'DEVICE', 'appVersion')],
  [Array.from({ length: 101 }, (_, at) => at).join(', '), of('IN')],
])('typed %j with %j cannot be asked', (typed, filter) => {
  expect(problemOf(typed, filter)).toEqual(expect.any(String));
});

test('what is typed is said in words before it is asked', () => {
  expect(readAs('   ', of('EQ'))).toBe('the text "   "');
  expect(readAs('1.0', of('EQ'))).toBe('the number 1');
  expect(readAs('662E41', of('EQ'))).toBe('the text 662E41');
  expect(readAs('2.14', of('EQ', 'DEVICE', 'appVersion'))).toBe('= 2014000');
  expect(readAs('17', of('EQ', 'DEVICE', 'osVersion'))).toBe('the number 17; the version is 17.0');
  const words = (op: Filter['op'], property: string, value: Filter['value']) =>
    wordsOf({ scope: 'DEVICE', property, op, value });
  expect(words('IN', 'deviceModel', ['iPhone15,2', 'a'])).toBe('device deviceModel is one of "iPhone15,2", a');
  expect(words('GTE', 'appVersion', '2.14')).toBe('device appVersion is at least 2.14.0 (2014000)');
  expect(words('GTE', 'appVersion', 2014003)).toBe('device appVersion is at least 2.14.3 (2014003)');
  expect(words('GTE', 'appVersion', 17)).toBe('device appVersion is at least 17');
  expect(words('EQ', 'country', '  ')).toBe('device country is "  "');
});

test.each(loadVectors<{ version: string; normalized: number | null; name: string }>('versions.json').vectors)(
  'the page and the service read a version as an SDK does: $name',
  ({ version, normalized }) => {
    expect([versionNumber(version), serviceVersion(version)]).toEqual([normalized, normalized]);
    if (normalized !== null) expect(versionNumber(versionText(normalized)) ?? normalized).toBe(normalized);
  },
);

test('digits alone are the number that devices send, and every number is written so that it is read again', () => {
  expect([typedVersion('17'), typedVersion(' 17.0 '), typedVersion('')]).toEqual([17, 17_000_000, null]);
  expect([versionHint('2.14.3'), versionHint('2014003'), versionHint('x')]).toEqual([
    '= 2014003',
    '= 2.14.3',
    undefined,
  ]);
  fc.assert(fc.property(fc.maxSafeNat(), (number) => expect(typedVersion(versionText(number))).toBe(number)));
});

test('the service compares a version as people write it with the number that devices send', () => {
  const rules = inputRules();
  const version = { scope: 'DEVICE', property: 'appVersion' } as const;
  const given = [
    { ...version, op: 'GTE', value: '2.14' },
    { ...version, op: 'IN', value: ['2.14.3', '17', 17] },
    { scope: 'USER', property: 'appVersion', op: 'EQ', value: '2.14' },
    { ...version, op: 'EXISTS' },
  ] as const;
  const read = readDeviceFilters(rules, 'filters', given);
  rules.assert();
  expect(read.map(({ value }) => value)).toEqual([2_014_000, [2_014_003, 17_000_000, 17], '2.14', undefined]);
});

test('an address keeps every text to the last sign', () => {
  const strange = [
    '723421968459640832',
    '662E41',
    'null',
    '1.0',
    'true',
    '[1]',
    '"7"',
    '"',
    '   ',
    ' a+b&c=%41',
    '007',
  ];
  for (const one of strange) {
    expect(parseSearch(stringifySearch({ one }))).toEqual({ one });
    if (!one.startsWith('"7')) expect(parseSearch(`?one=${encodeURIComponent(one)}`)).toEqual({ one });
  }
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (one) =>
      expect(parseSearch(stringifySearch({ one }))).toEqual({ one }),
    ),
  );
  expect(stringifySearch({})).toBe('');
  expect(stringifySearch({ user: '7', after: undefined })).toBe('?user=7');
});

test('older addresses open, and what cannot be used counts as not given', () => {
  const schema = z.object({ user: text, test: flag, page: wholeNumber(1, 9), filters: json(filters) });
  const open = (search: string) => schema.parse(parseSearch(search));
  const old = JSON.stringify([{ scope: 'DEVICE', property: 'appVersion', op: 'GTE', value: 2.14 }]);
  expect(open(`?user=%227%22&test=true&page=3&filters=${encodeURIComponent(old)}`)).toEqual({
    ...{ user: '7', test: true, page: 3 },
    filters: [{ scope: 'DEVICE', property: 'appVersion', op: 'GTE', value: '2.14' }],
  });
  expect(open('?user=&test=yes&page=1e0&filters=[')).toEqual({});
  expect(open('?page=10&filters=null&test=')).toEqual({});
  expect(open('?user=a&user=b')).toEqual({ user: 'b' });
  // A link has values, an address has texts.
  expect(schema.parse({ user: '7', test: true, page: 3 })).toEqual({ user: '7', test: true, page: 3 });
});

test.each([
  ['   ', '3 blanks'],
  [' ', '1 blank'],
  [' \t\u00a0\u200b', '4 blanks: U+0020 U+0009 U+00A0 U+200B'],
  ['\u2800'.repeat(9), `9 blanks: ${'U+2800 '.repeat(8)}…`],
  [' a ', undefined],
  ['', undefined],
])('the blanks %j are shown as %j', (text, words) => {
  expect(blankWords(text)).toBe(words);
});
