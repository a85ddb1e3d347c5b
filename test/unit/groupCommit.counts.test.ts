// What becomes of events, as the writer counts it: inserted + duplicate + rejected is what was handed in, whatever happens.
import { gate, ids, memoryStore, newCommit, nextTurn, settled, upload } from '../support/memoryStore.ts';
import { passMillis, stopClock } from '../support/stoppedClock.ts';
import { readMetrics, valueOf } from '../support/metricsText.ts';

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
  const writer = newCommit(write, { queueSize: 2, batchUploads: 1, answerWithinMillis: 30 });
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
