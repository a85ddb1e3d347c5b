// Calls to the store in the database: a pause belongs to one application, is never shortened, and its end removes the waiting calls.
import { randomUUID } from 'node:crypto';
import { endPause, pauseCalls, takeCallSlot, type CallSlotRequest } from '../../src/purchases/callSlotsStore.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const later = (seconds: number) => new Date(Date.now() + seconds * 1_000);

function take(applicationId: string, request: Partial<CallSlotRequest> = {}) {
  const newcomer = { applicationId, perSecond: 10, patienceMillis: 1_000, queued: false, behind: false };
  return takeCallSlot(database.pool, { ...newcomer, ...request });
}

/** Two applications that have called the store before. */
async function applications(): Promise<[string, string]> {
  const ids: [string, string] = [randomUUID(), randomUUID()];
  for (const id of ids) expect(await take(id)).toMatchObject({ granted: true });
  return ids;
}

async function slotOf(applicationId: string): Promise<unknown> {
  const { rows } = await database.pool.query('SELECT * FROM store_call_slots WHERE application_id = $1', [
    applicationId,
  ]);
  return rows[0];
}

test('nobody calls for a paused application before its time, which a shorter pause does not bring forward', async () => {
  const [paused, other] = await applications();
  const until = later(600);
  await pauseCalls(database.pool, paused, until);
  await pauseCalls(database.pool, paused, later(60));
  const { granted, dueAt } = await take(paused, { queued: true });
  expect([granted, dueAt]).toEqual([false, until]);
  expect(await take(other)).toMatchObject({ granted: true });
});

test('with the end of a pause the places of all that waited for it are forgotten, of this application alone', async () => {
  const [paused, other] = await applications();
  for (const id of [paused, other]) {
    await pauseCalls(database.pool, id, later(600));
    for (const behind of [false, true]) expect(await take(id, { behind })).toMatchObject({ granted: false });
  }
  expect(await endPause(database.pool, paused)).toBe(true);
  for (const behind of [false, true]) expect(await take(paused, { behind })).toMatchObject({ granted: true });
  expect(await take(other, { queued: true })).toMatchObject({ granted: false });
});

test('a queue is no pause, and stays', async () => {
  const [busy] = await applications();
  while ((await take(busy)).granted);
  const before = await slotOf(busy);
  expect(await endPause(database.pool, busy)).toBe(false);
  expect(await slotOf(busy)).toEqual(before);
});
