// Uploads of devices whose stored properties are long: which transactions they share, and how long they wait.
import type { StoreBatch } from '../../src/sessions/writer/groupCommit.ts';
import { gate, ids, memoryStore, newWriter, nextTurn, reading, settled, upload } from '../support/memoryStore.ts';
import { passMillis, stopClock } from '../support/stoppedClock.ts';

stopClock();

const long = 3_500_000;

function ofDevice(id: string, key: string, userProperties = '{}') {
  const one = upload(id);
  return { ...one, device: { ...one.device, key, userProperties } };
}

/** A writer that has stored one change of each device `heavy-…`, whose stored properties are long. */
async function knowingWriter(...known: string[]) {
  const { store, write } = memoryStore();
  const measuring: StoreBatch = async (uploads, options) => {
    for (const { device } of uploads) {
      if (device.key?.startsWith('heavy')) options.measured?.(device.key, long);
    }
    return write(uploads, options);
  };
  const { writer } = newWriter(measuring);
  const send = (id: string, key = `of ${id}`, set?: string) => writer.take('app', reading(ofDevice(id, key, set)));
  await settled(known.map((key) => send(`first of ${key}`, key)));
  store.batches = [];
  return { store, writer, send };
}

test('heavy uploads share no transaction with others, which go on while they wait and rest', async () => {
  const { store, send } = await knowingWriter('heavy-1', 'heavy-2');
  const ended: string[] = [];
  const sent = (id: string, key?: string) => send(id, key).then(() => void ended.push(id));
  const heavy = ['a', 'b', 'c', 'd'].map((id, at) => sent(id, `heavy-${1 + (at % 2)}`));
  const { hold, open } = gate();
  store.hold = hold;
  await passMillis(0);
  store.hold = null;
  for (let round = 0; round < 5; round++) await Promise.all(ids(4, 4 * round).map((id) => sent(id)));
  expect(ended).toEqual(ids(20));
  expect(store.batches[0]).toEqual(['a']);
  await passMillis(90);
  open();
  await passMillis(0);
  expect(ended.slice(20)).toEqual(['a']);
  await passMillis(269);
  expect(store.batches.flat()).not.toContain('b');
  await passMillis(1);
  expect(store.batches.flat()).toContain('b');
  await Promise.all(heavy);
  expect(ended.slice(20)).toEqual(['a', 'b', 'c', 'd']);
  expect(store.batches.filter((batch) => batch.some((id) => !id.startsWith('u')))).toEqual([
    ['a'],
    ['b'],
    ['c'],
    ['d'],
  ]);
});

test('beyond sixteen that wait they are refused, and others are not', async () => {
  const { store, writer, send } = await knowingWriter('heavy');
  const { hold, open } = gate();
  store.hold = hold;
  const first = send('first', 'heavy');
  await passMillis(0);
  const waiting = ids(16).map((id) => send(id, 'heavy'));
  await nextTurn();
  expect(await settled([send('late', 'heavy')])).toEqual(['unavailable']);
  store.hold = null;
  expect(writer.isFull('app')).toBe(false);
  // More than are read at once: a heavy upload takes no turn of another one.
  expect(await settled(ids(12, 20).map((id) => send(id)))).toEqual(Array(12).fill('stored'));
  open();
  expect(await settled([first, ...waiting])).toEqual(Array(17).fill('stored'));
});

test('a long set is heavy itself, and so is the next upload of its device', async () => {
  const { store, send } = await knowingWriter();
  await Promise.all([send('a'), send('set', 'k', 'x'.repeat(65_537)), send('delta', 'k'), send('b')]);
  expect(store.batches).toContainEqual(['a', 'b']);
  expect(store.batches).toContainEqual(['set']);
  expect(store.batches).toContainEqual(['delta']);
});
