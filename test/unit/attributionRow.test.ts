// The payloads of an attribution report must be cut out of its text unchanged, whatever surrounds them.
import { attributionRow, type AttributionBody } from '../../src/attribution/attributionRow.ts';

const rest = '"device":{"id":"d"},"system":{"os_version":"1"}';

function rowOf(text: string) {
  const { providerA, storeSearchAds, providerB, custom } = attributionRow(
    JSON.parse(text) as AttributionBody,
    text,
    '018f3d6e-7c1a-7b3e-9a51-2f0c6d1e4b90',
  );
  return { providerA, storeSearchAds, providerB, custom };
}

const unused = { providerA: null, storeSearchAds: null, providerB: null, custom: null };

test.each<[string, string, object]>([
  ['no payload', '"attribution":{}', {}],
  ['empty and null ones', '"attribution":{"provider_a":{},"provider_b":null,"store_search_ads":{ }},"custom":null', {}],
  [
    'all of them, with white space and digits as sent',
    '"custom" : { "a" : 1.10 } , "attribution":{"provider_b":{"n":12345678901234567890},"provider_a":{"e":1e400},"store_search_ads":{"x":[]}}',
    {
      custom: '{ "a" : 1.10 }',
      providerB: '{"n":12345678901234567890}',
      providerA: '{"e":1e400}',
      storeSearchAds: '{"x":[]}',
    },
  ],
  [
    'objects and arrays before, within and after',
    '"zz":[{"custom":{"no":1}},[{}],{}],"attribution":{"y":[[{}]],"provider_a":{"l":[{"provider_b":{"no":1}},[]],"o":{"custom":{"no":2}}},"w":{}},"custom":{"c":{}},"v":[]',
    { providerA: '{"l":[{"provider_b":{"no":1}},[]],"o":{"custom":{"no":2}}}', custom: '{"c":{}}' },
  ],
  [
    'the same names elsewhere',
    '"provider_a":{"no":1},"other":{"provider_a":{"no":2}},"attribution":{"custom":{"no":3},"attribution":{"provider_a":{"no":4}}}',
    {},
  ],
  [
    'keys that are escaped',
    String.raw`"\u0061ttribution":{"provider\u005fa":{"a":"}\"{"}},"\u0063ustom":{"b":"\\"}`,
    { providerA: String.raw`{"a":"}\"{"}`, custom: String.raw`{"b":"\\"}` },
  ],
  [
    'keys that look like a path',
    '"attribution":{},"attribution.provider_a":{"no":1},"attribution\\u0000provider_a":{"no":2}',
    {},
  ],
])('%s', (_what, members, expected) => {
  expect(rowOf(`{${rest},${members}}`)).toEqual({ ...unused, ...expected });
  expect(rowOf(`\n{${members},${rest} }\t`)).toEqual({ ...unused, ...expected });
});

test('an empty external id is one, and none is null', () => {
  const row = (externalId?: string) => {
    const body = { device: { id: 'd', external_id: externalId }, system: { os_version: '1' }, attribution: {} };
    return attributionRow(body, JSON.stringify(body), '018f3d6e-7c1a-7b3e-9a51-2f0c6d1e4b90');
  };
  expect([row('').externalId, row().externalId]).toEqual(['', null]);
  expect(row('').bodyHash.equals(row().bodyHash)).toBe(false);
});
