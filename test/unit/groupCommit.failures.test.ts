// Group commit when the database refuses: which uploads fail together, which are retried, and which are not.
import { AppError } from '../../src/platform/errors.ts';
import { ids, memoryStore, newCommit, settled } from '../support/memoryStore.ts';
import { readMetrics, valueOf } from '../support/metricsText.ts';

describe('a batch that fails for its data', () => {
  test.each([['22P05'], ['22021'], ['54001']])('with %s is split until only the bad upload fails', async (code) => {
    const { store, write } = memoryStore((batch) => (batch.includes('bad') ? code : undefined));
    const { submit, metrics } = newCommit(write);
    const answers = await settled(submit('a', 'b', 'c', 'bad', 'd', 'e', 'f', 'g'));
    expect(answers).toEqual([
      ...Array<string>(3).fill('stored'),
      'validation_failed',
      ...Array<string>(4).fill('stored'),
    ]);
    expect([...store.stored].sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    const families = readMetrics(await metrics.registry.metrics());
    expect(valueOf(families, 'ingest_unstorable_uploads_total')).toBe(1);
  });

  test('with several bad uploads loses none of the others', async () => {
    const bad = ['u0', 'u3', 'u4', 'u7'];
    const { store, write } = memoryStore((batch) => (batch.some((id) => bad.includes(id)) ? '22P02' : undefined));
    const answers = await settled(newCommit(write).submit(...ids(8)));
    expect(ids(8).filter((_, index) => answers[index] === 'validation_failed')).toEqual(bad);
    expect([...store.stored].sort()).toEqual(['u1', 'u2', 'u5', 'u6']);
  });

  test('with an error nobody knows is split too, and the bad upload gets that error', async () => {
    const { store, write } = memoryStore((batch) => (batch.includes('bad') ? 'XX000' : undefined));
    const { submit } = newCommit(write);
    const [good, bad] = await Promise.allSettled(submit('a', 'bad'));
    expect(good).toEqual({ status: 'fulfilled', value: 'stored' });
    expect((bad as PromiseRejectedResult).reason).toMatchObject({ message: 'refused with XX000' });
    expect([...store.stored]).toEqual(['a']);
  });

  test('does not stop the lane: later uploads are stored', async () => {
    const { store, write } = memoryStore((batch) => (batch.includes('bad') ? '22P05' : undefined));
    const { submit } = newCommit(write, { batchUploads: 1 });
    await settled(submit('bad', 'a'));
    await settled(submit('bad'));
    expect(await settled(submit('b'))).toEqual(['stored']);
    expect([...store.stored]).toEqual(['a', 'b']);
  });
});

describe('a conflict with another transaction', () => {
  test.each(['40001', '40P01'])('%s is tried again as a whole, twice', async (code) => {
    let conflicts = 2;
    const { store, write } = memoryStore(() => (conflicts-- > 0 ? code : undefined));
    expect(await settled(newCommit(write).submit('a', 'b'))).toEqual(['stored', 'stored']);
    expect(store.batches).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  test('that does not end is unavailable after three attempts, without splitting', async () => {
    const { store, write } = memoryStore(() => '40001');
    expect(await settled(newCommit(write).submit('a', 'b'))).toEqual(['unavailable', 'unavailable']);
    expect(store.batches).toHaveLength(3);
  });
});

test.each(['57P01', '53300', '08006', 'ECONNREFUSED', '57014'])(
  'when the database is away (%s), the whole batch is unavailable at once, with its cause',
  async (code) => {
    const { store, write } = memoryStore(() => code);
    const results = await Promise.allSettled(newCommit(write).submit('a', 'b', 'c'));
    expect(store.batches).toEqual([['a', 'b', 'c']]);
    for (const { reason } of results as PromiseRejectedResult[]) {
      expect(reason).toBeInstanceOf(AppError);
      expect(reason).toMatchObject({ code: 'unavailable', details: { retryAfterSeconds: null }, cause: { code } });
    }
  },
);
