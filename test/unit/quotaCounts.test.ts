// The use of quotas in memory: exact in one process, shared by several, and empty again after the hour.
import { lackingUnit, type QuotaOwner, type QuotaSettings } from '../../src/quotas/quota.ts';
import { QuotaCounts, type QuotaCountsOptions } from '../../src/quotas/quotaCounts.ts';
import { quotaPauseSeconds } from '../../src/quotas/quotaPause.ts';
import { moveClock } from '../support/movedClock.ts';

const owner: QuotaOwner = { applicationId: 'a', operation: 'reportAttribution' };
const quota: QuotaSettings = { bytes: 1_000_000, devices: 100_000, signedBytes: 500 };
const warnings: string[] = [];
const log = { warn: (...given: unknown[]) => void warnings.push(String(given[1])) } as never;
const oneDevice = { bytes: 1, devices: 1 };

/** A table that adds up, as `settleUses` does. */
function aTable() {
  const totals = { bytes: 0, devices: 0, refused: 0 };
  const settle: QuotaCountsOptions['settle'] = async (uses) =>
    uses.map(({ bytes, devices, refused, ...rest }) => {
      totals.bytes += bytes;
      totals.devices += devices;
      totals.refused += refused;
      return { ...rest, bytes: totals.bytes, devices: totals.devices, secondsLeft: 3_600 };
    });
  return { totals, settle };
}

const opened: QuotaCounts[] = [];
function process(settle: QuotaCountsOptions['settle']): QuotaCounts {
  const counts = new QuotaCounts({ quota, settle, log, everyMillis: 3_600_000 });
  opened.push(counts);
  return counts;
}
afterEach(() => Promise.all(opened.splice(0).map((counts) => counts.stop())));

/** Whether a request that adds a device was admitted. */
function addDevice(counts: QuotaCounts): boolean {
  if (counts.reserve(owner, oneDevice)) return false;
  counts.add(owner, oneDevice);
  counts.free(owner, oneDevice);
  return true;
}

test('of 110,000 new device ids one process admits 100,000', async () => {
  const { settle, totals } = aTable();
  const counts = process(settle);
  let admitted = 0;
  for (let index = 0; index < 110_000; index += 1) {
    if (addDevice(counts)) admitted += 1;
    if (index % 1_000 === 0) await counts.flush();
  }
  expect(admitted).toBe(100_000);
  await counts.flush();
  expect(totals).toEqual({ bytes: 100_000, devices: 100_000, refused: 10_000 });
  expect(counts.highestShare('reportAttribution', 'devices')).toBe(1);
  // A device that is known already adds none.
  expect(counts.reserve(owner, { bytes: 1, devices: 0 })).toBeNull();
});

test('three processes exceed a quota together by 3/64 at most', async () => {
  const { settle } = aTable();
  const all = [1, 2, 3].map(() => process(settle));
  let admitted = 0;
  for (let index = 0; index < 150_000; index += 1) {
    if (addDevice(all[index % 3]!)) admitted += 1;
    // A settlement ends in a later turn.
    if (index % 10 === 0) await Promise.resolve().then(() => new Promise(setImmediate));
  }
  expect(admitted).toBeGreaterThanOrEqual(100_000);
  expect(admitted).toBeLessThanOrEqual(100_000 * (1 + 3 / 64));
});

test('requests that run at the same time cannot exceed a quota together', () => {
  const counts = process(aTable().settle);
  const most = { bytes: 300_000, devices: 1 };
  expect([1, 2, 3, 4].map(() => counts.reserve(owner, most))).toEqual([null, null, null, 'bytes']);
  counts.free(owner, most);
  expect(counts.reserve(owner, most)).toBeNull();
});

test('each application and each operation has a quota of its own', () => {
  const counts = process(aTable().settle);
  const all = { bytes: 1_000_000, devices: 1 };
  expect(counts.reserve(owner, all)).toBeNull();
  expect(counts.reserve(owner, oneDevice)).toBe('bytes');
  expect(counts.reserve({ ...owner, operation: 'reportStoreTransactions' }, all)).toBeNull();
  expect(counts.reserve({ ...owner, applicationId: 'b' }, all)).toBeNull();
});

test('with the hour the use ends', async () => {
  const counts = process(aTable().settle);
  counts.add(owner, { bytes: 1_000_000, devices: 0 });
  await counts.flush();
  expect(counts.reserve(owner, oneDevice)).toBe('bytes');
  await counts.flush();
  moveClock(3_599_000);
  expect(counts.reserve(owner, oneDevice)).toBe('bytes');
  moveClock(1_001);
  expect(counts.reserve(owner, oneDevice)).toBeNull();
});

test('while the database is away nothing counted is lost, and the log has one line', async () => {
  const { settle, totals } = aTable();
  let isAway = true;
  const counts = process(async (uses) => {
    if (isAway) throw new Error('away');
    return settle(uses);
  });
  counts.add(owner, { bytes: 7, devices: 1 });
  await counts.flush();
  await counts.flush();
  expect(warnings.splice(0)).toEqual(['the use of quotas could not be written']);
  expect(counts.highestShare('reportAttribution', 'bytes')).toBe(7 / 1_000_000);
  isAway = false;
  await counts.flush();
  expect(totals).toEqual({ bytes: 7, devices: 1, refused: 0 });
});

test('a unit without a quota is never used up', () => {
  const use = { bytes: 1e15, devices: 1e9 };
  expect(lackingUnit(use, oneDevice, { bytes: null, devices: null })).toBeNull();
  expect(lackingUnit(use, oneDevice, { bytes: null, devices: 5 })).toBe('devices');
});

test('the pause is an hour, spread by a half', () => {
  expect([0, 0.5, 0.999_999].map((random) => quotaPauseSeconds(() => random))).toEqual([1_800, 3_600, 5_400]);
});

test('signed uploads use a quota of their own, and the five applications that use most are named', () => {
  const { settle } = aTable();
  const counts = process(settle);
  const of = (applicationId: string): QuotaOwner => ({ applicationId, operation: 'signedSessions' });
  for (const [at, name] of ['a', 'b', 'c', 'd', 'e', 'f', 'g'].entries())
    counts.add(of(name), { bytes: 40 + 60 * at, devices: 0 });
  expect(
    counts.highestShares('signedSessions', { least: 0.1, count: 5 }).map(({ applicationId }) => applicationId),
  ).toEqual(['g', 'f', 'e', 'd', 'c']);
  expect(counts.highestShares('signedSessions', { least: 0.7, count: 5 })).toEqual([
    { applicationId: 'g', share: 0.8 },
  ]);
  expect(counts.refuseIfUsedUp(of('g'))).toBe(false);
  counts.add(of('g'), { bytes: 100, devices: 0 });
  expect(counts.refuseIfUsedUp(of('g'))).toBe(true);
  expect(counts.refuseIfUsedUp(of('f'))).toBe(false);
  expect(counts.reserve({ applicationId: 'g', operation: 'reportAttribution' }, oneDevice)).toBeNull();
});
