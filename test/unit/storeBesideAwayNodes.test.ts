// Uploads beside a node that is away, or behind a row that a node holds: those of other devices are stored.
import { RowsHeld, type StoreBatch } from '../../src/sessions/writer/groupCommit.ts';
import { storeBesideAwayNodes } from '../../src/sessions/writer/storeBesideAwayNodes.ts';
import { memoryStore, newCommit, newWriter, settled } from '../support/memoryStore.ts';

/** Devices whose names begin with `far` are on the other node. */
function aCluster(code: string, { away }: { away: boolean }) {
  let fails = true;
  const { store, write } = memoryStore((batch) =>
    fails && (!away || batch.some((id) => id.startsWith('far'))) ? code : undefined,
  );
  const nodes = { someAway: false, looks: 0, onAwayNodes, lookAfter };
  async function onAwayNodes(keys: readonly string[]) {
    return new Set(away ? keys.filter((key) => key.startsWith('far')) : []);
  }
  async function lookAfter(_error: unknown, keys: readonly string[]) {
    nodes.looks += 1;
    nodes.someAway = away;
    fails = away;
    return onAwayNodes(keys);
  }
  return { store, nodes, ...newCommit(storeBesideAwayNodes(write, nodes)) };
}

test('the others of a batch are stored, and the next batch is parted before it is tried', async () => {
  const { store, nodes, submit } = aCluster('08006', { away: true });
  expect(await settled(submit('a', 'far-1', 'b'))).toEqual(['stored', 'node_away', 'stored']);
  expect(await settled(submit('far-2', 'c'))).toEqual(['node_away', 'stored']);
  expect(await settled(submit('far-3'))).toEqual(['node_away']);
  expect(store.batches).toEqual([['a', 'far-1', 'b'], ['a', 'b'], ['c']]);
  expect(nodes.looks).toBe(1);
});

test.each(['08006', 'XX000'])('a connection to a node that was lost (%s) costs one more attempt', async (code) => {
  const { store, submit } = aCluster(code, { away: false });
  expect(await settled(submit('a', 'b'))).toEqual(['stored', 'stored']);
  expect(store.batches).toHaveLength(2);
});

test.each(['57014', 'ECONNRESET'])('what no node explains (%s) is not repeated', async (code) => {
  const { store, submit } = aCluster(code, { away: false });
  expect(await settled(submit('a', 'b'))).toEqual(['unavailable', 'unavailable']);
  expect(store.batches).toHaveLength(1);
});

test('a row that is held stops one batch, and later the uploads of its device alone', async () => {
  const lockTimeout = Object.assign(new Error('canceled'), { code: '55P03' });
  const held = new Set(['h']);
  const { store, write } = memoryStore();
  const holding: StoreBatch = async (uploads, options) => {
    const stored = await write(uploads, options);
    if (uploads.some(({ device }) => held.has(device.key))) throw new RowsHeld(lockTimeout);
    return stored;
  };
  const { submit } = newWriter(holding);
  expect(await settled(submit('a', 'h', 'b'))).toEqual(['stored', 'unavailable', 'stored']);
  const sent = store.batches.length;
  expect(await settled(submit('h', 'c', 'd'))).toEqual(['unavailable', 'stored', 'stored']);
  expect(store.batches.slice(sent).sort()).toEqual([['c', 'd'], ['h']]);
  held.clear();
  expect(await settled(submit('h', 'a'))).toEqual(['stored', 'stored']);
  const after = store.batches.length;
  expect(await settled(submit('h', 'a'))).toEqual(['stored', 'stored']);
  expect(store.batches.slice(after)).toEqual([['h', 'a']]);
});
