// What waits for a transaction: what is refused, what is read and when, and what is told of it.
import {
  gate,
  ids,
  memoryStore,
  newCommit,
  newWriter,
  nextTurn,
  reading as readAtOnce,
  settled,
  upload,
} from '../support/memoryStore.ts';
import { passMillis, stopClock } from '../support/stoppedClock.ts';

stopClock();

test('refuses the upload that is one too many, and takes uploads again when it has emptied', async () => {
  const { store, write } = memoryStore();
  const { hold, open } = gate();
  const { submit } = newCommit(write, { queueSize: 3 });
  store.hold = hold;
  const submitted = submit('running');
  await nextTurn();
  await nextTurn();
  submitted.push(...submit('a', 'b', 'c'));
  expect(await settled(submit('d', 'e'))).toEqual(['unavailable', 'unavailable']);
  store.hold = null;
  open();
  expect(await settled(submitted)).toEqual(Array(4).fill('stored'));
  expect(await settled(submit('f'))).toEqual(['stored']);
  expect([...store.stored]).toEqual(['running', 'a', 'b', 'c', 'f']);
});

test('uploads whose transaction outlasts their answers make no room beyond the bounds', async () => {
  const { store, write } = memoryStore();
  const { hold, open } = gate();
  const { writer, submit } = newWriter(write, { readAtOnce: 2, queueSize: 8, answerWithinMillis: 10 });
  store.hold = hold;
  const stalled = submit(...ids(8));
  await passMillis(20);
  expect(await settled(stalled)).toEqual(Array(8).fill('unavailable'));
  let reading = 0;
  const never = new Promise<never>(() => undefined);
  const others = Array.from({ length: 20 }, () =>
    writer.take('app', () => {
      reading += 1;
      return never;
    }),
  );
  const refused = others.map((other) => other.catch(() => 'refused'));
  await nextTurn();
  expect(reading).toBe(2);
  expect(await Promise.all(refused.slice(8))).toEqual(Array(12).fill('refused'));
  store.hold = null;
  open();
});

test('refuses the text that is too much, but never an upload that would wait alone', async () => {
  const { store, write } = memoryStore();
  const { hold, open } = gate();
  const { send, submit } = newCommit(write, { queueCharacters: 100 });
  store.hold = hold;
  const submitted = submit('running');
  await nextTurn();
  await nextTurn();
  submitted.push(send(upload('huge', { characters: 500 })));
  expect(await settled([send(upload('small', { characters: 1 }))])).toEqual(['unavailable']);
  store.hold = null;
  open();
  await settled(submitted);
  const sizes = [60, 40, 1].map((characters) => send(upload(`of ${characters}`, { characters })));
  expect(await settled(sizes)).toEqual(['stored', 'stored', 'unavailable']);
  expect([...store.stored]).toEqual(['running', 'huge', 'of 60', 'of 40']);
});

test.each([
  ['uploads wait', { queueSize: 2 }],
  ['characters wait', { queueCharacters: 4 }],
  ['time has passed since the oldest came', { queueMillis: 5 }],
])('is full when enough %s, and not when it has emptied', async (_, bounds) => {
  const { store, write } = memoryStore();
  const { hold, open } = gate();
  const { commit, submit } = newCommit(write, bounds);
  store.hold = hold;
  const submitted = submit('running');
  await nextTurn();
  await nextTurn();
  expect(commit.full).toBe(false);
  submitted.push(...submit('a', 'b'));
  await passMillis(20);
  expect(commit.full).toBe(true);
  store.hold = null;
  open();
  await settled(submitted);
  expect(commit.full).toBe(false);
});

test('counts those that are still being read, and not those that a transaction has taken', async () => {
  const { store, write } = memoryStore();
  const reading = gate();
  const storing = gate();
  const { writer, submit } = newWriter(write, { queueSize: 2 });
  store.hold = storing.hold;
  const stored = submit('a', 'b');
  await nextTurn();
  await nextTurn();
  expect(writer.isFull('app')).toBe(false);
  const read = [1, 2].map(() => writer.take('app', () => reading.hold.then(() => Promise.reject(new Error('read')))));
  expect(writer.isFull('app')).toBe(true);
  expect(await settled(submit('c'))).toEqual(['unavailable']);
  reading.open();
  expect(await settled(read)).toEqual(['read', 'read']);
  expect(writer.isFull('app')).toBe(false);
  storing.open();
  expect(await Promise.all(stored)).toEqual(['stored', 'stored']);
});

test('reads no more side by side than the bound, those of one application in order of arrival', async () => {
  const { writer } = newWriter(memoryStore().write, { readAtOnce: 2 });
  const begun: string[] = [];
  const readings = ids(5).map((id) => ({ id, ...gate() }));
  const read = readings.map(({ id, hold }) =>
    writer.take('app', async (place) => {
      begun.push(id);
      await hold;
      return readAtOnce(upload(id))(place);
    }),
  );
  await nextTurn();
  expect(begun).toEqual(ids(2));
  readings[1]!.open();
  await nextTurn();
  expect(begun).toEqual(ids(3));
  for (const { open } of readings) open();
  await Promise.all(read);
  expect(begun).toEqual(ids(5));
});

test('reads on when a transaction has taken what waits, and not beyond a whole batch', async () => {
  const { store, write } = memoryStore();
  const { hold, open } = gate();
  const { writer, metrics } = newWriter(write, { batchUploads: 2, readAtOnce: 1 });
  store.hold = hold;
  const begun: string[] = [];
  const submitted = ids(8).map((id) => writer.take('app', (place) => (begun.push(id), readAtOnce(upload(id))(place))));
  for (let i = 0; i < 5; i++) await nextTurn();
  // Read are the uploads of the running transaction, of the one behind it, and of the next batch. The others wait unread.
  expect([store.batches.flat().length, begun.length]).toEqual([4, 6]);
  expect(await metrics.registry.getSingleMetricAsString('ingest_queue_uploads')).toMatch(/^ingest_queue_uploads 4$/m);
  store.hold = null;
  open();
  expect(await settled(submitted)).toEqual(Array(8).fill('stored'));
  expect(begun).toEqual(ids(8));
});

test('does not read what has waited until its client was told that it is refused', async () => {
  const { writer } = newWriter(memoryStore().write, { readAtOnce: 1, answerWithinMillis: 10 });
  const { hold, open } = gate();
  const first = writer.take('app', (place) => hold.then(() => readAtOnce(upload('first'))(place)));
  const begun: string[] = [];
  const late = writer.take('app', (place) => (begun.push('late'), readAtOnce(upload('late'))(place)));
  await passMillis(30);
  open();
  expect(await settled([first, late])).toEqual(['stored', 'unavailable']);
  expect(begun).toEqual([]);
});

test('is measured as the uploads that wait', async () => {
  const { store, write } = memoryStore();
  const { hold, open } = gate();
  const reading = gate();
  const { writer, submit, metrics } = newWriter(write);
  store.hold = hold;
  const submitted = submit('running');
  await nextTurn();
  await nextTurn();
  // One that is being read: otherwise the next transaction takes those that wait.
  submitted.push(writer.take('app', (place) => reading.hold.then(() => readAtOnce(upload('read'))(place))));
  submitted.push(...submit('a', 'b'));
  await nextTurn();
  expect(await metrics.registry.getSingleMetricAsString('ingest_queue_uploads')).toMatch(/^ingest_queue_uploads 2$/m);
  open();
  reading.open();
  await settled(submitted);
});
