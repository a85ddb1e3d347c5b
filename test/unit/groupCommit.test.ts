// Group commit over a store in memory: what shares a transaction, when it gets a response, and when an upload is refused.
import { AppError } from '../../src/platform/errors.ts';
import { gate, ids, memoryStore, newCommit, nextTurn, settled, upload } from '../support/memoryStore.ts';
import { readMetrics, valueOf } from '../support/metricsText.ts';
import { passMillis, stopClock, waitingTimers } from '../support/stoppedClock.ts';

describe('groupCommit', () => {
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

  test('as many transactions run side by side as `transactionsAtOnce` says, and no more', async () => {
    const { store, write } = memoryStore();
    const { submit } = newCommit(write, { transactionsAtOnce: 3, batchUploads: 1 });
    await settled(submit(...ids(12)));
    expect(store.atOnce).toBe(3);
    expect(store.stored.size).toBe(12);
  });

  describe('another lane', () => {
    async function startedBeside(changed: Parameters<typeof newCommit>[1], more: string[]) {
      const { store, write } = memoryStore();
      const { hold, open } = gate();
      const { submit } = newCommit(write, { transactionsAtOnce: 2, batchUploads: 3, ...changed });
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
      const { submit } = newCommit(write, { transactionsAtOnce: 2, batchUploads: 3, slowMillis: 10 });
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

  test('nothing gets a response before its transaction has committed', async () => {
    const { store, write } = memoryStore();
    const { hold, open } = gate();
    store.hold = hold;
    const served: unknown[] = [];
    const submitted = newCommit(write).submit('a', 'b');
    for (const each of submitted) void each.then((outcome) => served.push(outcome));
    for (let i = 0; i < 10; i++) await nextTurn();
    expect(store.batches).toEqual([['a', 'b']]);
    expect(served).toEqual([]);
    open();
    await settled(submitted);
    expect(served).toEqual(['stored', 'stored']);
  });

  test('the next transaction begins in the turn in which the last one gets a response', async () => {
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
      const { submit } = newCommit(write, { respondWithinMillis: 30 });
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

    test('of an upload with its outcome does not keep the process alive or refuse it later', async () => {
      const { write } = memoryStore();
      const { submit } = newCommit(write, { respondWithinMillis: 10 });
      const [first] = submit('a');
      expect(await first).toBe('stored');
      await endOfMicrotasks();
      expect(waitingTimers()).toBe(0);
      await passMillis(30);
      expect(await settled([first!])).toEqual(['stored']);
    });
  });
});

// What becomes of events, as the writer counts it: inserted + duplicate + rejected is what was handed in, whatever happens.
describe('groupCommit.counts', () => {
  stopClock();

  type Writer = ReturnType<typeof newCommit>;

  async function counted({ metrics }: Pick<Writer, 'metrics'>): Promise<Record<string, number>> {
    const families = readMetrics(await metrics.registry.metrics());
    const results = ['inserted', 'duplicate', 'rejected'];
    return Object.fromEntries(results.map((result) => [result, valueOf(families, 'ingest_events_total', { result })]));
  }

  test('stored events are inserted, and duplicate as far as they were there', async () => {
    const writer = newCommit(async (uploads) => ({
      outcomes: uploads.map(({ device }) => (device.id === 'again' ? 'repeated' : 'stored')),
      eventsInserted: 5,
    }));
    await settled([writer.send(upload('a', { events: 4 }), 6), writer.send(upload('again', { events: 3 }))]);
    expect(await counted(writer)).toEqual({ inserted: 5, duplicate: 4, rejected: 0 });
  });

  test('a reused nonce, data that cannot be stored, and a database that is away are rejected', async () => {
    const reused = newCommit(async () => ({ outcomes: ['nonce_reused'], eventsInserted: 0 }));
    await settled(reused.submit('a'));
    expect(await counted(reused)).toEqual({ inserted: 0, duplicate: 0, rejected: 1 });
    const split = newCommit(memoryStore((batch) => (batch.includes('bad') ? '22P05' : undefined)).write);
    await settled(split.submit('a', 'bad', 'b', 'c'));
    expect(await counted(split)).toEqual({ inserted: 3, duplicate: 0, rejected: 1 });
    const away = newCommit(memoryStore(() => '57P01').write);
    await settled(away.submit('a', 'b', 'c'));
    expect(await counted(away)).toEqual({ inserted: 0, duplicate: 0, rejected: 3 });
  });

  test('what the queue does not take is rejected, and what leaves it late is counted once', async () => {
    const { store, write } = memoryStore();
    const { hold, open } = gate();
    store.hold = hold;
    const writer = newCommit(write, { queueSize: 2, batchUploads: 1, respondWithinMillis: 30 });
    const submitted = writer.submit('held');
    await nextTurn();
    await nextTurn();
    submitted.push(...writer.submit(...ids(4)));
    // The first upload is under way, two wait until their timeout, and two found no place.
    const refused = settled(submitted);
    await passMillis(30);
    expect(await refused).toEqual(Array(5).fill('unavailable'));
    expect(await counted(writer)).toEqual({ inserted: 0, duplicate: 0, rejected: 4 });
    open();
    await nextTurn();
    await nextTurn();
    expect(await counted(writer)).toEqual({ inserted: 1, duplicate: 0, rejected: 4 });
  });
});

// Group commit when the database refuses: which uploads fail together, which are retried, and which are not.
describe('groupCommit.failures', () => {
  describe('a batch that fails for its data', () => {
    test.each([['22P05'], ['22021'], ['54001']])('with %s is split until only the bad upload fails', async (code) => {
      const { store, write } = memoryStore((batch) => (batch.includes('bad') ? code : undefined));
      const { submit, metrics } = newCommit(write);
      const responses = await settled(submit('a', 'b', 'c', 'bad', 'd', 'e', 'f', 'g'));
      expect(responses).toEqual([
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
      const responses = await settled(newCommit(write).submit(...ids(8)));
      expect(ids(8).filter((_, index) => responses[index] === 'validation_failed')).toEqual(bad);
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

    test('does not stop later uploads', async () => {
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
});
