// What uploads leave behind does not depend on the order of their arrival, one by one or in one batch, in both ways to store it.
import fc from 'fast-check';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { sessionRows } from '../../src/sessions/sessionRows.ts';
import type { Upload } from '../../src/sessions/upload.ts';
import { createSessionNumbers } from '../../src/sessions/writer/sessionNumbers.ts';
import { storeNewUploads } from '../../src/sessions/writer/storeNewUploads.ts';
import { storeUploads } from '../../src/sessions/writer/storeUploads.ts';
import { createTransactionLine } from '../../src/platform/database/transactionLine.ts';
import { storedRows } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { aDevice, anEvent, aReport, aSession, type SessionReport } from '../support/uploads.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const hours = 3_600_000;
const dateOf = (millis: number) => new Date(millis).toISOString();

const ways: Record<string, (uploads: Upload[]) => Promise<unknown>> = {
  'one by one': async (uploads) => {
    for (const upload of uploads) await known([upload]);
  },
  'in a batch of known ones': (uploads) => known(uploads),
  'in a batch of new ones': async (uploads) => {
    const line = createTransactionLine(service.database.pool);
    const numbers = createSessionNumbers();
    const stored = await line((transaction) => storeNewUploads(transaction, uploads, numbers), { behind: false });
    // It does not store deltas.
    if (stored === 'large') await known(uploads);
  },
  'half and half': async (uploads) => {
    await ways['in a batch of new ones']!(uploads.slice(0, 1));
    await known(uploads.slice(1));
  },
};
const known = (uploads: Upload[]) =>
  inTransaction(service.database.pool, (transaction) => storeUploads(transaction, uploads));

/** What each way leaves of uploads of a new device in the order given; `stateAt` comes from each one's place in `reports`. */
async function left(reports: Omit<SessionReport, 'device'>[], order: number[]) {
  const results: unknown[] = [];
  for (const store of Object.values(ways)) {
    const device = aDevice();
    const uploads = order.map((at) => ({
      ...sessionRows(
        {
          ...reports[at]!,
          device: {
            ...device,
            properties: { ...device.properties, deviceModel: `Phone ${at}`, installDatetime: at % 2 },
          },
        },
        { applicationId: service.application.id, stateAt: 1_789_000_000 + at },
      ),
      nonce: null,
    }));
    await store(uploads);
    const stored = await storedRows(service, { device });
    const { userId, userProperties, properties } = stored.device!;
    const sessions = stored.sessions.map((session) => [
      ...[session.id, session.startedAt, session.utcOffsetMinutes, session.finishedAt, session.userId, session.userAt],
      ...[session.globalNumber, session.versionNumber],
    ]);
    const { installs } = stored.device!;
    results.push({ installs, userId, userProperties, properties, state: stored.device!.stateAt, sessions });
  }
  return results;
}

const now = Date.now();
const date = fc.constantFrom(
  0,
  now + 24 * hours,
  now + 1_000 * 24 * hours,
  now - hours,
  now - 2 * hours,
  now - 800 * 24 * hours,
);
const session = fc.record({
  start: date,
  finish: fc.option(date),
  id: fc.constantFrom('a', 'b'),
  offset: fc.boolean(),
});
const name = fc.constantFrom('plan', 'level');
const upload = fc.record({
  whole: fc.boolean(),
  names: fc.uniqueArray(name),
  sessions: fc.array(session, { maxLength: 3 }),
});
type Sent = Omit<SessionReport, 'device'>;

/** Each upload comes from a user of its own, so that no delta depends on an earlier set. */
const reports = fc.array(upload, { minLength: 2, maxLength: 4 }).map((all) =>
  all.map(({ whole, names, sessions }, at): Sent => ({
    user: {
      id: [null, 'A', 'B', 'C'][at]!,
      lastSyncTS: whole ? null : 1,
      properties: names.map((property) => ({ name: property, value: at })),
    },
    sessions: sessions.map(({ start, finish, id, offset }) => ({
      ...aSession({ id, events: [] }),
      startDate: offset ? `${dateOf(start + 2 * hours).slice(0, -1)}+02:00` : dateOf(start),
      finishDate: finish === null ? null : dateOf(finish),
    })),
  })),
);
const shuffled = reports.chain((all) => {
  const inOrder = all.map((_, at) => at);
  return fc.tuple(fc.constant(all), fc.shuffledSubarray(inOrder, { minLength: all.length, maxLength: all.length }));
});

test('states, users and dates are the same in every order and every way', async () => {
  await fc.assert(
    fc.asyncProperty(shuffled, async ([all, order]) => {
      const [expected, ...others] = await left(
        all,
        all.map((_, at) => at),
      );
      for (const result of [...others, ...(await left(all, order))]) expect(result).toEqual(expected);
      const last = all.length - 1;
      const { id, properties } = all[last]!.user;
      const set = Object.fromEntries(properties!.map(({ name, value }) => [name, value]));
      expect(expected).toEqual(expect.objectContaining({ userId: id, userProperties: set }));
      expect(expected).toMatchObject({ properties: { deviceModel: `Phone ${last}` } });
    }),
    { numRuns: 40 },
  );
});

test('all that one upload stores has one time of arrival, in both ways', async () => {
  for (const [way, store] of Object.entries(ways)) {
    const report = aReport({ sessions: [aSession(), aSession({ events: [anEvent(), anEvent()] })] });
    const rows = sessionRows(report, { applicationId: service.application.id, stateAt: 1_789_000_000 });
    await store([{ ...rows, nonce: null }]);
    const { device, sessions, events } = await storedRows(service, report);
    const times = [...sessions, ...events].map(({ receivedAt }) => receivedAt.toISOString());
    expect([way, new Set([...times, device!.firstSeenAt.toISOString()]).size]).toEqual([way, 1]);
  }
});

test('what one upload adds to a stored session has the time of arrival of its new session', async () => {
  const [device, stored] = [aDevice(), aSession({ id: 'a' })];
  const send = (sessions: SessionReport['sessions']) =>
    known([
      {
        ...sessionRows(aReport({ device, sessions }), { applicationId: service.application.id, stateAt: 1 }),
        nonce: null,
      },
    ]);
  await send([stored]);
  const earlier = (await storedRows(service, { device })).events.map(({ id }) => id);
  const shown = anEvent({
    type: 'system',
    name: 'CampaignShown',
    params: [{ name: 'campaignId', value: service.application.id }],
  });
  await send([{ ...stored, events: [anEvent(), shown] }, aSession({ id: 'b', events: [anEvent()] })]);
  const { sessions, events } = await storedRows(service, { device });
  const added = events.filter(({ id }) => !earlier.includes(id));
  expect(added).toHaveLength(3);
  const times = [sessions[1]!, ...added].map(({ receivedAt }) => receivedAt.toISOString());
  expect(new Set(times).size).toBe(1);
});
