// The dates of a session that comes again: those that can be true hold, whatever their order and however late they arrive.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { sessionRows } from '../../src/sessions/sessionRows.ts';
import type { Upload } from '../../src/sessions/upload.ts';
import { storeUploads } from '../../src/sessions/writer/storeUploads.ts';
import { storedRows } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { aDevice, aReport, aSession, type SessionReport } from '../support/uploads.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const hours = 3_600_000;
const now = Date.now();
const dateOf = (millis: number) => new Date(millis).toISOString();
const known = (uploads: Upload[]) =>
  inTransaction(service.database.pool, (transaction) => storeUploads(transaction, uploads));

const firstArrival = now - 2 * hours;
/** As if the session had arrived first two hours ago. */
const arriveEarly = (id: string) =>
  service.database.prisma.session.updateMany({ where: { id }, data: { receivedAt: new Date(firstArrival) } });
const entry = (id: string, finish: number | null, start = firstArrival) =>
  aReport({
    device: aDevice(id),
    sessions: [
      aSession({ id, events: [], startDate: dateOf(start), finishDate: finish === null ? null : dateOf(finish) }),
    ],
  });
const uploadOf = (report: SessionReport) => ({
  ...sessionRows(report, { applicationId: service.application.id, stateAt: 1 }),
  nonce: null,
});
const read = async (id: string) => (await storedRows(service, { device: aDevice(id) })).sessions[0]!;

test('its finish is stored, and a later one replaces it, also where the first arrival was just after the start', async () => {
  const id = randomUUID();
  await known([uploadOf(entry(id, null))]);
  await arriveEarly(id);
  const [short, long, longest] = [firstArrival + 60_000, now - hours, now - 60_000];
  for (const [sent, held] of [
    [short, short],
    [long, long],
    [longest, longest],
    [long, longest],
    [null, longest],
  ] as const) {
    await known([uploadOf(entry(id, sent))]);
    expect((await read(id)).finishedAt).toEqual(new Date(held));
  }
});

const possible = [firstArrival - hours, firstArrival + 60_000, now - hours, now - 60_000];
const impossible = [0, now - 800 * 24 * hours, now + 24 * hours, Date.parse('2099-01-01T00:00:00Z')];
const finish = fc.oneof(fc.constant(null), fc.constantFrom(...possible), fc.constantFrom(...impossible));
const start = fc.constantFrom(firstArrival - 1_000, firstArrival, firstArrival + hours, 0);

test('of its finishes the latest that can be true holds, in every order', async () => {
  const entries = fc.array(fc.record({ finish, start }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(entries, async (all) => {
      const finishes = all.flatMap((each) => (each.finish === null ? [] : [each.finish]));
      const right = finishes.filter((each) => possible.includes(each));
      const last = finishes.length > 0 ? new Date(Math.max(...(right.length > 0 ? right : finishes))) : null;
      const first = Math.min(
        ...all.map((each) => each.start).filter((each) => each > 0 && each <= firstArrival),
        firstArrival,
      );
      for (const order of [all, all.toReversed()]) {
        const ids = { single: randomUUID(), together: randomUUID() };
        const uploads = (id: string) => order.map((each) => uploadOf(entry(id, each.finish, each.start)));
        await known([uploadOf(entry(ids.single, null)), uploadOf(entry(ids.together, null))]);
        await Promise.all(Object.values(ids).map(arriveEarly));
        for (const upload of uploads(ids.single)) await known([upload]);
        await known(uploads(ids.together));
        for (const id of Object.values(ids)) {
          expect(await read(id)).toMatchObject({ startedAt: new Date(first), finishedAt: last });
        }
      }
    }),
    { numRuns: 40 },
  );
});

test('a finish that was ahead of its arrival gives way also after its time has come', async () => {
  const id = randomUUID();
  // The first upload, so that it arrives an hour before its finish.
  await known([uploadOf(entry(id, now - hours))]);
  await arriveEarly(id);
  await known([uploadOf(entry(id, null))]);
  const right = firstArrival + 10 * 60_000;
  await known([uploadOf(entry(id, right))]);
  expect((await read(id)).finishedAt).toEqual(new Date(right));
  await known([uploadOf(entry(id, Date.parse('2099-01-01T00:00:00Z')))]);
  expect((await read(id)).finishedAt).toEqual(new Date(right));
});

test('a finish before the start that holds is kept and marked', async () => {
  const device = aDevice();
  const entry = (startDate: string, finishDate: string | null) =>
    aReport({ device, sessions: [aSession({ id: 's', startDate, finishDate })] });
  const send = (report: SessionReport, stateAt: number) =>
    known([{ ...sessionRows(report, { applicationId: service.application.id, stateAt }), nonce: null }]);
  const read = async () => (await storedRows(service, { device })).sessions[0]!;
  await send(entry('1970-01-01T00:00:10Z', '1970-01-01T00:20:00Z'), 1);
  await send(entry(dateOf(now - hours), null), 2);
  expect(await read()).toMatchObject({
    startedAt: new Date(now - hours),
    finishedAt: new Date('1970-01-01T00:20:00Z'),
  });
  await send(entry('1970-01-01T00:00:10Z', dateOf(now - hours + 60_000)), 3);
  expect(await read()).toMatchObject({ startedAt: new Date(now - hours), finishedAt: new Date(now - hours + 60_000) });
});
