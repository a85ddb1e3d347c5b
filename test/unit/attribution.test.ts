// The payloads of an attribution report must be cut out of its text unchanged, whatever surrounds them.
import { type AttributionBody, attributionRow } from '../../src/attribution/reportAttribution.ts';
import { supersededReports, type WalkedReport, type WalkPosition } from '../../src/attribution/removeOldAttribution.ts';
import { deviceKey } from '../../src/devices/deviceKey.ts';

describe('attributionRow', () => {
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
    [
      'empty and null ones',
      '"attribution":{"provider_a":{},"provider_b":null,"store_search_ads":{ }},"custom":null',
      {},
    ],
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
});

// Retention keeps the latest report of each payload of a device, in whatever pieces the walk reads them.
describe('supersededReports', () => {
  let count = 0;
  /** Called in the order of the walk. */
  function aReport(deviceKey: string, payloads: string[], rest: Partial<WalkedReport> = {}): WalkedReport {
    const at = `2026-01-01 00:00:00.${String(999_999 - ++count)}`;
    return { deviceKey, bodyHash: `${count}`, at, firstAt: at, old: true, payloads, ...rest };
  }

  function walk(reports: WalkedReport[], size: number) {
    let position: WalkPosition | null = null;
    const [gone, firsts]: [string[], [string, string][]] = [[], []];
    for (let start = 0; start < reports.length; start += size) {
      const batch = supersededReports(reports.slice(start, start + size), position);
      gone.push(...batch.superseded.map(({ bodyHash }) => bodyHash));
      firsts.push(...batch.firsts.map(({ bodyHash, firstAt }): [string, string] => [bodyHash, firstAt]));
      position = JSON.parse(JSON.stringify(batch.position)) as WalkPosition | null;
    }
    return { gone, firsts: new Map(firsts) };
  }

  const ofOne = [
    aReport('a', ['provider_a']),
    aReport('a', ['provider_a', 'custom']),
    aReport('a', ['provider_a']),
    aReport('a', ['custom'], { old: false }),
    aReport('a', []),
    aReport('a', ['custom', 'provider_b']),
    aReport('a', ['provider_b', 'custom', 'provider_a']),
  ];

  test.each([1, 2, 3, 100])('in pieces of %i: what came later, payload by payload, supersedes', (size) => {
    const others = [aReport('b', ['provider_a']), aReport('b', ['provider_b'])];
    const { gone } = walk([...ofOne, ...others], size);
    expect(gone).toEqual([2, 4, 6].map((place) => ofOne[place]!.bodyHash));
  });

  test.each([1, 2, 100])('in pieces of %i: the latest report tells the first arrival of those that go', (size) => {
    const first = '2025-01-01 00:00:00.000000';
    const reports = [aReport('c', ['custom']), aReport('c', ['custom'], { firstAt: first }), aReport('c', ['custom'])];
    const { gone, firsts } = walk(reports, size);
    expect(gone).toHaveLength(2);
    expect([...firsts]).toEqual([[reports[0]!.bodyHash, first]]);
  });

  test('the latest report stays, also without a payload', () => {
    expect(walk([aReport('d', []), aReport('d', [])], 10).gone).toHaveLength(1);
  });
});

// The key of a device must never change, because rows are stored under it.
describe('deviceKey', () => {
  const application = '0192f0c4-1111-7000-8000-000000000001';

  // printf '%s
  // %s' "$application" "$device" | sha256sum, cut to 32 digits, with the version 8 and the variant 8, 9, a or b.
  test.each([
    ['device-1', '0e34611a-8fd6-8586-86be-507422938d5e'],
    ['gerät 🚀', '8716f73d-a83d-8331-bb85-cbc3a45f41db'],
  ])('of %s is what SHA-256 says', (device, key) => {
    expect(deviceKey(application, device)).toBe(key);
  });

  test('differs by application and by every character of the id', () => {
    const other = '0192f0c4-1111-7000-8000-000000000002';
    const ids = ['device-1', 'device-1 ', ' device-1', 'Device-1', 'device-\n1', '', 'é', 'e\u0301'];
    const keys = ids.flatMap((id) => [deviceKey(application, id), deviceKey(other, id)]);
    expect(new Set(keys).size).toBe(2 * ids.length);
  });
});
