// The one door of uploads: each event that a place received is counted once, and no step can be taken out of turn.
import type { PublicRequest } from '../../src/http/operationTypes.ts';
import type { Uploads } from '../../src/sessions/writer/uploadWriter.ts';
import { gate, memoryStore, newWriter, nextTurn, reading, settled, upload } from '../support/memoryStore.ts';
import { readMetrics, valueOf } from '../support/metricsText.ts';

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
  const door = newWriter(write, { queueSize: 1, lanes: 1 });
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
