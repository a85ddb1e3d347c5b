// Group commit behind the transaction that runs: when the next one is sent to wait for its end, and what never waits.
import {
  gate,
  ids,
  memoryStore,
  newWriter,
  nextTurn,
  reading as readAtOnce,
  settled,
  upload,
} from '../support/memoryStore.ts';
import { passMillis, stopClock } from '../support/stoppedClock.ts';

stopClock();

type Options = Parameters<typeof newWriter>[1];

interface Coming {
  /** Milliseconds after the start of the transaction. */
  after?: number;
  /** The number of further uploads that are not yet read completely. */
  reading?: number;
}

/** The state of the store while a transaction of two uploads runs and `more` uploads arrive. */
async function whileTwoRun(more: number, { after = 1, reading = 0, ...changed }: Coming & Options = {}) {
  const { store, write } = memoryStore();
  const { hold, open } = gate();
  const read = gate();
  const { writer, submit } = newWriter(write, changed);
  store.hold = hold;
  const submitted = submit('a', 'b');
  await passMillis(after);
  submitted.push(...submit(...ids(more)));
  const late = ids(reading, more).map((id) =>
    writer.take('app', async (place) => {
      await read.hold;
      return readAtOnce(upload(id))(place);
    }),
  );
  await passMillis(20);
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  const { batches, behind } = structuredClone({ batches: store.batches, behind: store.behind });
  read.open();
  store.hold = null;
  open();
  await settled([...submitted, ...late]);
  expect(store.stored.size).toBe(2 + more + reading);
  return { batches, behind };
}

test('goes the next transaction, once it is as large and nothing is left to read', async () => {
  const next = { batches: [['a', 'b'], ids(2)], behind: [ids(2)] };
  const none = { batches: [['a', 'b']], behind: [] };
  expect(await whileTwoRun(2)).toEqual(next);
  expect(await whileTwoRun(1)).toEqual(none);
  expect(await whileTwoRun(2, { reading: 1 })).toEqual(none);
});

test('goes one and no more, and none behind a slow one', async () => {
  expect(await whileTwoRun(4, { batchUploads: 2 })).toEqual({ batches: [['a', 'b'], ids(2)], behind: [ids(2)] });
  const behindSlow = await whileTwoRun(2, { slowMillis: 10, lanes: 2, after: 20 });
  expect(behindSlow).toEqual({ batches: [['a', 'b'], ids(2)], behind: [] });
});

test('takes no lane of its own: a whole batch goes beside both', async () => {
  const whole = { batchUploads: 2, lanes: 2 };
  const { batches, behind } = await whileTwoRun(6, whole);
  expect(batches).toEqual([['a', 'b'], ids(2), ids(2, 2)]);
  expect(behind).toHaveLength(1);
});

test('no more run side by side than the bound says, and one behind, however many come', async () => {
  const { store, write } = memoryStore();
  const { submit } = newWriter(write, { lanes: 2, batchUploads: 2 });
  const submitted = submit(...ids(80));
  await settled(submitted);
  expect(store.stored.size).toBe(80);
  expect(store.atOnce).toBe(3);
});

test('the time behind another does not make it slow', async () => {
  const { store, write } = memoryStore();
  const [first, second] = [gate(), gate()];
  const { submit } = newWriter(write, { slowMillis: 10, lanes: 2 });
  store.hold = first.hold;
  const submitted = submit('a', 'b');
  await passMillis(1);
  store.hold = second.hold;
  submitted.push(...submit('c', 'd'));
  await passMillis(6);
  first.open();
  await passMillis(6);
  submitted.push(...submit('e'));
  await passMillis(3);
  expect(store.batches).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  await passMillis(3);
  expect(store.batches.slice(2)).toEqual([['e']]);
  second.open();
  expect(await settled(submitted)).toEqual(Array(5).fill('stored'));
});

test.each([
  { what: 'split', code: '22P05', refusals: 2, then: [['bad'], ['c']], outcome: 'validation_failed' },
  { what: 'tried again', code: '40001', refusals: 1, then: [['bad', 'c']], outcome: 'stored' },
])('a batch that is $what waits for nothing', async ({ code, refusals, then, outcome }) => {
  const { store, write } = memoryStore((batch) => (batch.includes('bad') && refusals-- > 0 ? code : undefined));
  const { hold, open } = gate();
  const { submit } = newWriter(write);
  store.hold = hold;
  const submitted = submit('a', 'b');
  await passMillis(1);
  submitted.push(...submit('bad', 'c'));
  await passMillis(1);
  store.hold = null;
  open();
  expect(await settled(submitted)).toEqual(['stored', 'stored', outcome, 'stored']);
  expect(store.batches).toEqual([['a', 'b'], ['bad', 'c'], ...then]);
  expect(store.behind).toEqual([['bad', 'c']]);
});
