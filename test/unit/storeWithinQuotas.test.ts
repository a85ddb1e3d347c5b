// Quotas of unsigned uploads: one question for a batch, refusal before anything is stored, and what is counted afterwards.
import { noQuotas, type Admission, type UnsignedRequest } from '../../src/quotas/quotas.ts';
import type { Upload } from '../../src/sessions/upload.ts';
import type { StoreBatch } from '../../src/sessions/writer/groupCommit.ts';
import { storeWithinQuotas } from '../../src/sessions/writer/storeWithinQuotas.ts';
import { ids, memoryStore, newCommit, settled, upload } from '../support/memoryStore.ts';
import { readMetrics, valueOf } from '../support/metricsText.ts';

/** Devices are signed, over their quota, new or bad by the beginning of their id. Each stored upload adds ten bytes. */
function aQuota(judge: (ids: string[]) => string | undefined = () => undefined) {
  const seen = {
    lookUps: [] as string[][],
    added: [] as [string, number, number][],
    signed: [] as [string, number][],
    within: 0,
  };
  const { store, write } = memoryStore((batch) => (batch.some((id) => id.startsWith('bad')) ? '22P05' : undefined));
  const counting: StoreBatch = async (uploads, how) => {
    const added = uploads
      .filter(({ counted }) => counted)
      .map((upload) => ({ upload, bytes: 10, device: deviceOf(upload) }));
    return { ...(await write(uploads, how)), added };
  };
  const deviceOf = ({ device: { key } }: Upload) => ({
    ...{ key, isNew: key.startsWith('new'), signed: key.startsWith('proven') },
    ...{ stateRepeated: false, characters: null },
  });
  const admissionOf = ({ deviceKey }: UnsignedRequest): Admission => {
    if (deviceKey.startsWith('known')) return 'uncounted';
    if (deviceKey.startsWith('over')) return 'refused';
    seen.within += 1;
    return {
      most: { bytes: 10, devices: 1 },
      added: ({ bytes, devices }) => void seen.added.push([deviceKey, bytes, devices]),
      leave: () => void (seen.within -= 1),
    };
  };
  const admitUploads = async (requests: readonly UnsignedRequest[]): Promise<Admission[]> => {
    const keys = requests.map(({ deviceKey }) => deviceKey);
    seen.lookUps.push(keys);
    const code = judge(keys);
    if (code !== undefined) throw Object.assign(new Error(`refused with ${code}`), { code });
    return requests.map(admissionOf);
  };
  const withoutReports = async (keys: readonly string[]) => new Set(keys.filter((each) => !each.endsWith('reporter')));
  const addSigned = (applicationId: string, bytes: number) => void seen.signed.push([applicationId, bytes]);
  const commit = newCommit(storeWithinQuotas(counting, { admitUploads, withoutReports, addSigned }));
  const submit = (...names: string[]) => names.map((name) => commit.send(anUpload(name)));
  return { seen, store, submit, metrics: commit.metrics };
}

function anUpload(name: string): Upload {
  const { device, events, ...rest } = upload(name);
  const state = { properties: '{}', userProperties: '{}' };
  return {
    ...rest,
    device: { ...device, ...state, key: name, signed: name.startsWith('signed') },
    events: events.map((event) => ({ ...event, id: name, name })),
  };
}

test('without quotas the store stays as it is', () => {
  const { write } = memoryStore();
  expect(storeWithinQuotas(write, noQuotas)).toBe(write);
});

test('uploads of one batch are asked about together, and signed ones are not', async () => {
  const { seen, store, submit } = aQuota();
  expect(await settled(submit('a', 'signed', 'b', 'known'))).toEqual(Array(4).fill('stored'));
  expect(seen.lookUps).toEqual([['a', 'b', 'known']]);
  expect(store.batches).toEqual([['a', 'signed', 'b', 'known']]);
  expect(seen.added).toEqual([
    ['a', 10, 0],
    ['b', 10, 0],
  ]);
  expect(await settled(submit('signed'))).toEqual(['stored']);
  expect(seen.lookUps).toHaveLength(1);
});

test('what an upload uses depends on what was stored of its device', async () => {
  const { seen, submit } = aQuota();
  expect(await settled(submit('new', 'new-reporter', 'proven'))).toEqual(Array(3).fill('stored'));
  expect(seen.added).toEqual([
    ['new', 10, 1],
    ['new-reporter', 10, 0],
  ]);
  expect(seen.within).toBe(0);
});

test('an upload over its quota is not stored, and the others of its batch are', async () => {
  const { seen, store, submit, metrics } = aQuota();
  expect(await settled(submit('over-1', 'a', 'signed', 'over-2', 'b'))).toEqual([
    ...['over_quota', 'stored', 'stored', 'over_quota', 'stored'],
  ]);
  expect(store.batches).toEqual([['a', 'signed', 'b']]);
  expect(await settled(submit('over-3'))).toEqual(['over_quota']);
  expect(store.batches).toHaveLength(1);
  expect(seen.within).toBe(0);
  const families = readMetrics(await metrics.registry.metrics());
  expect(valueOf(families, 'ingest_events_total', { result: 'rejected' })).toBe(3);
  expect(valueOf(families, 'ingest_events_total', { result: 'inserted' })).toBe(3);
  expect(valueOf(families, 'ingest_batch_uploads_sum')).toBe(3);
  expect(valueOf(families, 'ingest_batch_uploads_count')).toBe(1);
});

test('an upload that cannot be stored fails alone, and each other one is counted once', async () => {
  const { seen, store, submit } = aQuota();
  const answers = await settled(submit('a', 'b', 'bad', 'over', 'c'));
  expect(answers).toEqual(['stored', 'stored', 'validation_failed', 'over_quota', 'stored']);
  expect([...store.stored].sort()).toEqual(['a', 'b', 'c']);
  expect(seen.added.map(([name]) => name).sort()).toEqual(['a', 'b', 'c']);
  expect(seen.within).toBe(0);
});

test('an upload whose look-up fails for its data fails alone', async () => {
  const { store, submit } = aQuota((keys) => (keys.includes('odd') ? '22P02' : undefined));
  expect(await settled(submit('a', 'odd', 'signed', 'b'))).toEqual([
    ...['stored', 'validation_failed', 'stored', 'stored'],
  ]);
  expect([...store.stored].sort()).toEqual(['a', 'b', 'signed']);
});

test('while the database is away nothing is stored, counted or kept reserved', async () => {
  const { seen, store, submit } = aQuota(() => '57P01');
  expect(await settled(submit(...ids(3)))).toEqual(Array(3).fill('unavailable'));
  expect(store.batches).toEqual([]);
  expect([seen.added, seen.within]).toEqual([[], 0]);
});
