// Whose uploads are read first, and whose is refused where the queue is full: applications take turns.
import { gate, ids, memoryStore, newWriter, nextTurn, reading, settled, upload } from '../support/memoryStore.ts';
import { passMillis, stopClock } from '../support/stoppedClock.ts';

stopClock();

/** A writer that reads one upload at a time, and the names of those whose reading has begun: an application and a number. */
function readingOneByOne(changed: Parameters<typeof newWriter>[1] = {}) {
  const { writer } = newWriter(memoryStore().write, { readAtOnce: 1, ...changed });
  const { hold, open } = gate();
  const begun: string[] = [];
  const send = (...names: string[]) =>
    names.map((name) =>
      writer.take(name[0]!, async (place) => {
        begun.push(name);
        await hold;
        return reading(upload(name))(place);
      }),
    );
  return { writer, begun, send, open };
}

test('is read in turns of its applications', async () => {
  const { begun, send, open } = readingOneByOne();
  const submitted = send('a1');
  await nextTurn();
  submitted.push(...send(...ids(50).map((id) => `a${id}`), 'b1', 'b2', 'c1'));
  await nextTurn();
  expect(begun).toEqual(['a1']);
  open();
  expect(await settled(submitted)).toEqual(Array(54).fill('stored'));
  expect(begun.slice(0, 8)).toEqual(['a1', 'au0', 'b1', 'c1', 'au1', 'b2', 'au2', 'au3']);
});

test('of another application takes the place of the latest of the application that fills it', async () => {
  const { writer, begun, send, open } = readingOneByOne({ queueSize: 4 });
  const first = settled(send('a1'));
  await nextTurn();
  const submitted = settled(send('a2', 'a3', 'a4'));
  expect([writer.isFull('a'), writer.isFull('b')]).toEqual([true, false]);
  expect(await settled(send('a5'))).toEqual(['unavailable']);
  const other = settled(send('b1'));
  // Two of one application wait now, and one of the other: neither has so many that one of a third could take a place.
  expect([writer.isFull('a'), writer.isFull('b'), writer.isFull('c')]).toEqual([true, true, false]);
  const third = settled(send('c1'));
  expect([writer.isFull('a'), writer.isFull('b'), writer.isFull('c'), writer.isFull('d')]).toEqual(Array(4).fill(true));
  expect(await settled(send('a6', 'b2', 'd1'))).toEqual(Array(3).fill('unavailable'));
  open();
  expect(await Promise.all([first, submitted, other, third])).toEqual([
    ['stored'],
    ['stored', 'unavailable', 'unavailable'],
    ['stored'],
    ['stored'],
  ]);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1']);
  expect(writer.isFull('a')).toBe(false);
});

test('is full for the application that waits with most, where bodies take the memory that they may', async () => {
  const { writer, send, open } = readingOneByOne();
  expect([writer.isFull('a', true), writer.isFull('b', true)]).toEqual([true, true]);
  const submitted = send('a1', 'a2', 'a3');
  expect([writer.isFull('a', true), writer.isFull('b', true)]).toEqual([true, false]);
  expect([writer.isFull('a'), writer.isFull('b')]).toEqual([false, false]);
  open();
  expect(await settled(submitted)).toEqual(Array(3).fill('stored'));
});

test('is full for everybody while those that have been read are too many', async () => {
  const { store, write } = memoryStore();
  const { hold, open } = gate();
  const { writer, submit } = newWriter(write, { batchUploads: 2, queueMillis: 5 });
  store.hold = hold;
  const submitted = submit(...ids(20));
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  expect(writer.isFull('other')).toBe(false);
  await passMillis(20);
  expect(writer.isFull('other')).toBe(true);
  expect(await settled([writer.take('other', reading(upload('late')))])).toEqual(['unavailable']);
  store.hold = null;
  open();
  expect(await settled(submitted)).toEqual(Array(20).fill('stored'));
});
