// Retention keeps the latest report of each payload of a device, in whatever pieces the walk reads them.
import { supersededReports, type WalkedReport, type WalkPosition } from '../../src/attribution/supersededReports.ts';

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
