// Group commit over a store in memory: what shares a transaction, when it is answered, and when an upload is refused.
import { gate, ids, memoryStore, newCommit, nextTurn, settled, upload } from '../support/memoryStore.ts';
import { passMillis, stopClock, waitingTimers } from '../support/stoppedClock.ts';

stopClock();

const endOfMicrotasks = () => new Promise<void>((resolve) => process.nextTick(resolve));

describe('what shares a transaction', () => {
  test('uploads of one turn of the event loop, in order of arrival', async () => {
    const { store, write } = memoryStore();
    expect(await settled(newCommit(write).submit('a', 'b', 'c'))).toEqual(['stored', 'stored', 'stored']);
    expect(store.batches).toEqual([['a', 'b', 'c']]);
  });

  test('uploads that arrive while a transaction runs', async () => {
    const { store, write } = memoryStore();
    const { hold, open } = gate();
    const { submit } = newCommit(write);
    store.hold = hold;
    const submitted = submit('a');
    await nextTurn();
    await nextTurn();
    submitted.push(...submit('b'));
    await nextTurn();
    submitted.push(...submit('c', 'd'));
    store.hold = null;
    open();
    await settled(submitted);
    expect(store.batches).toEqual([['a'], ['b', 'c', 'd']]);
  });

  test('not more uploads than the bound', async () => {
    const { store, write } = memoryStore();
    await settled(newCommit(write, { batchUploads: 3 }).submit(...ids(7)));
    expect(store.batches.map((batch) => batch.length)).toEqual([3, 3, 1]);
  });

  test('not more events than the bound; a larger upload makes a transaction of its own', async () => {
    const { store, write } = memoryStore();
    const { send } = newCommit(write, { batchEvents: 10 });
    const sizes: [string, number][] = [
      ['a', 4],
      ['b', 6],
      ['c', 1],
      ['huge', 50],
      ['d', 0],
      ['e', 10],
      ['f', 1],
    ];
    await settled(sizes.map(([id, events]) => send(upload(id, { events }))));
    expect(store.batches).toEqual([['a', 'b'], ['c'], ['huge'], ['d', 'e'], ['f']]);
  });

  test('not more text than the bound; a larger upload makes a transaction of its own', async () => {
    const { store, write } = memoryStore();
    const { send } = newCommit(write, { batchCharacters: 100 });
    const sizes: [string, number][] = [
      ['a', 60],
      ['b', 40],
      ['c', 1],
      ['huge', 500],
      ['d', 100],
    ];
    await settled(sizes.map(([id, characters]) => send(upload(id, { characters }))));
    expect(store.batches).toEqual([['a', 'b'], ['c'], ['huge'], ['d']]);
  });

  test('each upload gets its own outcome', async () => {
    const outcomes = ['stored', 'repeated', 'nonce_reused'] as const;
    const { submit } = newCommit(async () => ({ outcomes: [...outcomes], eventsInserted: 0 }));
    expect(await settled(submit('a', 'b', 'c'))).toEqual(outcomes);
  });
});

test('as many transactions run side by side as there are lanes, and no more', async () => {
  const { store, write } = memoryStore();
  const { submit } = newCommit(write, { lanes: 3, batchUploads: 1 });
  await settled(submit(...ids(12)));
  expect(store.atOnce).toBe(3);
  expect(store.stored.size).toBe(12);
});

describe('another lane', () => {
  async function startedBeside(changed: Parameters<typeof newCommit>[1], more: string[]) {
    const { store, write } = memoryStore();
    const { hold, open } = gate();
    const { submit } = newCommit(write, { lanes: 2, batchUploads: 3, ...changed });
    store.hold = hold;
    const submitted = submit('running');
    for (let i = 0; i < 3; i++) await nextTurn();
    submitted.push(...submit(...more));
    await passMillis(30);
    const batches = structuredClone(store.batches);
    store.hold = null;
    open();
    await settled(submitted);
    expect(store.stored.size).toBe(1 + more.length);
    return batches;
  }

  test('waits for a whole batch', async () => {
    expect(await startedBeside({}, ['a', 'b'])).toEqual([['running']]);
    expect(await startedBeside({}, ['a', 'b', 'c'])).toEqual([['running'], ['a', 'b', 'c']]);
    expect(await startedBeside({ batchEvents: 2 }, ['a', 'b'])).toEqual([['running'], ['a', 'b']]);
  });

  test('leaves what is less than a batch to the lane that runs', async () => {
    expect(await startedBeside({}, ['a', 'b', 'c', 'd'])).toEqual([['running'], ['a', 'b', 'c']]);
  });

  test('does not wait past a slow transaction', async () => {
    expect(await startedBeside({ slowMillis: 10 }, ['a', 'b'])).toEqual([['running'], ['a', 'b']]);
  });

  test('waits for a whole batch again when the slow transaction has ended', async () => {
    const { store, write } = memoryStore();
    const [slow, running] = [gate(), gate()];
    const { submit } = newCommit(write, { lanes: 2, batchUploads: 3, slowMillis: 10 });
    store.hold = slow.hold;
    const first = submit('slow');
    await passMillis(30);
    slow.open();
    await settled(first);
    store.hold = running.hold;
    const submitted = submit('running');
    for (let i = 0; i < 3; i++) await nextTurn();
    submitted.push(...submit('a', 'b'));
    for (let i = 0; i < 3; i++) await nextTurn();
    expect(store.batches).toEqual([['slow'], ['running']]);
    running.open();
    await settled(submitted);
  });

  test('that is slow too is not passed by: the bound holds', async () => {
    expect(await startedBeside({ slowMillis: 1 }, ['a', 'b', 'c', 'd'])).toEqual([['running'], ['a', 'b', 'c']]);
  });
});

test('nothing is answered before its transaction has committed', async () => {
  const { store, write } = memoryStore();
  const { hold, open } = gate();
  store.hold = hold;
  const answered: unknown[] = [];
  const submitted = newCommit(write).submit('a', 'b');
  for (const each of submitted) void each.then((outcome) => answered.push(outcome));
  for (let i = 0; i < 10; i++) await nextTurn();
  expect(store.batches).toEqual([['a', 'b']]);
  expect(answered).toEqual([]);
  open();
  await settled(submitted);
  expect(answered).toEqual(['stored', 'stored']);
});

test('the next transaction begins in the turn in which the last one is answered', async () => {
  const { store, write } = memoryStore();
  const { hold, open } = gate();
  const { submit } = newCommit(write);
  store.hold = hold;
  const [first] = submit('a');
  await nextTurn();
  await nextTurn();
  const next = submit('b');
  store.hold = null;
  open();
  await first;
  await endOfMicrotasks();
  expect(store.batches).toEqual([['a'], ['b']]);
  expect(await settled(next)).toEqual(['stored']);
});

describe('the deadline', () => {
  test('refuses an upload that still waits, and never stores it', async () => {
    const { store, write } = memoryStore();
    const { hold, open } = gate();
    const { submit } = newCommit(write, { answerWithinMillis: 30 });
    store.hold = hold;
    const running = submit('running');
    await nextTurn();
    await nextTurn();
    const refused = settled([...running, ...submit('a', 'b')]);
    await passMillis(30);
    expect(await refused).toEqual(Array(3).fill('unavailable'));
    store.hold = null;
    open();
    expect(await settled(submit('c'))).toEqual(['stored']);
    expect(store.batches).toEqual([['running'], ['c']]);
  });

  test('of an answered upload does not keep the process alive or refuse it later', async () => {
    const { write } = memoryStore();
    const { submit } = newCommit(write, { answerWithinMillis: 10 });
    const [first] = submit('a');
    expect(await first).toBe('stored');
    await endOfMicrotasks();
    expect(waitingTimers()).toBe(0);
    await passMillis(30);
    expect(await settled([first!])).toEqual(['stored']);
  });
});
