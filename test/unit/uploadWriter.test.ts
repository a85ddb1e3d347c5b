// The one door of uploads: each event that a place received is counted once, and no step can be taken out of turn.
import type { PublicRequest } from '../../src/http/publicOperations.ts';
import {
  type Admission,
  lackingUnit,
  noQuotas,
  QuotaCounts,
  type QuotaCountsOptions,
  type QuotaOwner,
  quotaPauseSeconds,
  type QuotaSettings,
  type UnsignedRequest,
} from '../../src/quotas/quotas.ts';
import type { Upload } from '../../src/sessions/upload.ts';
import { RowsHeld, type StoreBatch } from '../../src/sessions/writer/groupCommit.ts';
import { storeBesideAwayNodes, storeWithinQuotas } from '../../src/sessions/reportSessions.ts';
import type { Uploads } from '../../src/sessions/reportSessions.ts';
import {
  gate,
  ids,
  memoryStore,
  newCommit,
  newWriter,
  nextTurn,
  reading,
  reading as readAtOnce,
  settled,
  upload,
} from '../support/memoryStore.ts';
import { readMetrics, valueOf } from '../support/metricsText.ts';
import { moveClock } from '../support/movedClock.ts';
import { passMillis, stopClock } from '../support/stoppedClock.ts';

describe('uploadWriter', () => {
  async function counted({ metrics }: Pick<ReturnType<typeof newWriter>, 'metrics'>) {
    const families = readMetrics(await metrics.registry.metrics());
    const of = (result: string) => valueOf(families, 'ingest_events_total', { result });
    const received = valueOf(families, 'ingest_events_received_total');
    return { received, inserted: of('inserted'), duplicate: of('duplicate'), rejected: of('rejected') };
  }

  const body = (events: number) => ({ sessions: [{ events: Array(events) }] });

  test('what is read is stored, and counts as received', async () => {
    const { store, write } = memoryStore();
    const door = newWriter(write);
    expect(await door.writer.take('app', reading(upload('a', { events: 3 })))).toBe('stored');
    expect([...store.stored]).toEqual(['a']);
    expect(await counted(door)).toEqual({ received: 3, inserted: 3, duplicate: 0, rejected: 0 });
  });

  test('an event that comes twice in a body is a duplicate', async () => {
    const door = newWriter(memoryStore().write);
    await door.writer.take('app', async (place) => {
      place.receive(body(5));
      return upload('a', { events: 3 });
    });
    expect(await counted(door)).toEqual({ received: 5, inserted: 3, duplicate: 2, rejected: 0 });
  });

  test.each<[string, unknown, number]>([
    ['before it is read', undefined, 0],
    ['when it has been read', body(4), 4],
    ['when it is no report', { sessions: 'none' }, 0],
    ['when only some of it is a report', { sessions: [null, 7, { events: [1, 2] }, { events: {} }] }, 2],
  ])('an upload that is refused %s is not stored, and its events are rejected', async (_, sent, events) => {
    const { store, write } = memoryStore();
    const door = newWriter(write);
    const refused = door.writer.take('app', async (place) => {
      if (sent !== undefined) place.receive(sent);
      throw new Error('refused');
    });
    expect(await settled([refused])).toEqual(['refused']);
    expect(await counted(door)).toEqual({ received: events, inserted: 0, duplicate: 0, rejected: events });
    expect(store.batches).toEqual([]);
    expect(await settled(door.submit('next'))).toEqual(['stored']);
  });

  test('an upload that finds it full is not read, and counts nowhere', async () => {
    const { store, write } = memoryStore();
    const { hold, open } = gate();
    const door = newWriter(write, { queueSize: 1, transactionsAtOnce: 1 });
    store.hold = hold;
    const begun: string[] = [];
    const first = door.writer.take('app', (place) => hold.then(() => reading(upload('a'))(place)));
    const late = door.writer.take('app', (place) => (begun.push('late'), reading(upload('late'))(place)));
    expect(await settled([late])).toEqual(['unavailable']);
    open();
    expect(await settled([first])).toEqual(['stored']);
    await nextTurn();
    expect(begun).toEqual([]);
    expect(await counted(door)).toEqual({ received: 1, inserted: 1, duplicate: 0, rejected: 0 });
  });

  test('nothing can be stored or read out of turn: it does not compile', () => {
    // Another door, or a body that is there before its place, would need another name here.
    const doors: Record<keyof Uploads, true> = { isFull: true, take: true };
    const given: Record<keyof PublicRequest<'reportSessions'>, true> = {
      read: true,
      application: true,
      signature: true,
      arrivedAt: true,
    };
    const misuses = [
      // @ts-expect-error -- An upload that was not read in a place cannot be taken.
      (uploads: Uploads) => uploads.take('app', upload('a')),
      // @ts-expect-error -- Whoever takes a place must bring an upload.
      (uploads: Uploads) => uploads.take('app', async () => undefined),
      // @ts-expect-error -- No body is read without a place.
      ({ read }: PublicRequest<'reportSessions'>) => read(),
      // @ts-expect-error -- A place cannot be made up.
      ({ read }: PublicRequest<'reportSessions'>) => read({ receive: () => undefined, eventsReceived: 0 }),
    ];
    const use = (uploads: Uploads, { read }: PublicRequest<'reportSessions'>) =>
      uploads.take('app', async (place) => (await read(place), upload('a')));
    expect([doors, given, misuses, use]).toHaveLength(4);
  });
});

// Group commit behind the transaction that runs: when the next one is sent to wait for its end, and what never waits.
describe('uploadWriter.behind', () => {
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
    const behindSlow = await whileTwoRun(2, { slowMillis: 10, transactionsAtOnce: 2, after: 20 });
    expect(behindSlow).toEqual({ batches: [['a', 'b'], ids(2)], behind: [] });
  });

  test('takes no lane of its own: a whole batch goes beside both', async () => {
    const whole = { batchUploads: 2, transactionsAtOnce: 2 };
    const { batches, behind } = await whileTwoRun(6, whole);
    expect(batches).toEqual([['a', 'b'], ids(2), ids(2, 2)]);
    expect(behind).toHaveLength(1);
  });

  test('no more run side by side than the bound says, and one behind, however many come', async () => {
    const { store, write } = memoryStore();
    const { submit } = newWriter(write, { transactionsAtOnce: 2, batchUploads: 2 });
    const submitted = submit(...ids(80));
    await settled(submitted);
    expect(store.stored.size).toBe(80);
    expect(store.atOnce).toBe(3);
  });

  test('the time behind another does not make it slow', async () => {
    const { store, write } = memoryStore();
    const [first, second] = [gate(), gate()];
    const { submit } = newWriter(write, { slowMillis: 10, transactionsAtOnce: 2 });
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
});

// Uploads of devices whose stored properties are long: which transactions they share, and how long they wait.
describe('uploadWriter.heavy', () => {
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
});

// What waits for a transaction: what is refused, what is read and when, and what is told of it.
describe('uploadWriter.queue', () => {
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

  test('uploads whose transaction outlasts their responses make no room beyond the bounds', async () => {
    const { store, write } = memoryStore();
    const { hold, open } = gate();
    const { writer, submit } = newWriter(write, { readAtOnce: 2, queueSize: 8, respondWithinMillis: 10 });
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
    const submitted = ids(8).map((id) =>
      writer.take('app', (place) => (begun.push(id), readAtOnce(upload(id))(place))),
    );
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
    const { writer } = newWriter(memoryStore().write, { readAtOnce: 1, respondWithinMillis: 10 });
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
});

// Whose uploads are read first, and whose is refused where the queue is full: applications take turns.
describe('uploadWriter.turns', () => {
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
    expect([writer.isFull('a'), writer.isFull('b'), writer.isFull('c'), writer.isFull('d')]).toEqual(
      Array(4).fill(true),
    );
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
});

// Quotas of unsigned uploads: one question for a batch, refusal before anything is stored, and what is counted afterwards.
describe('storeWithinQuotas', () => {
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
    const withoutReports = async (keys: readonly string[]) =>
      new Set(keys.filter((each) => !each.endsWith('reporter')));
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
    const responses = await settled(submit('a', 'b', 'bad', 'over', 'c'));
    expect(responses).toEqual(['stored', 'stored', 'validation_failed', 'over_quota', 'stored']);
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
});

// The use of quotas in memory: exact in one process, shared by several, and empty again after the hour.
describe('quotaCounts', () => {
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
});

// Uploads beside a node that is away, or behind a row that a node holds: those of other devices are stored.
describe('storeBesideAwayNodes', () => {
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
});
