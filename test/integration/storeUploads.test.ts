// How uploads are stored: together, in batches, in any order, and with the log of changes.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { deviceKey } from '../../src/devices/deviceKey.ts';
import { createPipelinedConnection, inTransaction } from '../../src/platform/database/transaction.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { sessionRows, type Upload } from '../../src/sessions/upload.ts';
import { dropOldEvents } from '../../src/sessions/upkeep/dropOldEvents.ts';
import { removeDevices } from '../../src/sessions/upkeep/removalStore.ts';
import { deleteOldChanges } from '../../src/sessions/writer/uploadsStore.ts';
import {
  createBatchStore,
  createSessionNumbers,
  storeNewUploads,
  storeUploads,
} from '../../src/sessions/writer/storeBatch.ts';
import { testOnOneNode } from '../support/citusCluster.ts';
import { fillApplication } from '../support/removal.ts';
import { countsOf, sendReport, storedRows } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { createCampaign } from '../support/testWorkspace.ts';
import {
  aDevice,
  anEvent,
  aReport,
  aSession,
  json,
  type SessionEvent,
  type SessionReport,
} from '../support/uploads.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// Uploads that share a transaction: what is kept of each is what it would be alone, whoever stands beside it.
describe('storeUploads', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  const now = 1_789_000_000;
  const store = (...uploads: Upload[]) =>
    inTransaction(service.database.pool, (transaction) => storeUploads(transaction, uploads));

  function uploadOf(report: SessionReport, { stateAt = now, applicationId = service.application.id } = {}): Upload {
    return { ...sessionRows(report, { applicationId, stateAt }), nonce: null };
  }

  const property = (name: string, value: string) => ({ name, value });
  const system = (name: string, params: SessionEvent['params']) => anEvent({ type: 'system', name, params });
  const propertiesOf = async (report: SessionReport) => (await storedRows(service, report)).device!.userProperties;

  test('an event that comes twice is stored once, as it came first', async () => {
    const [first, session] = [anEvent(), aSession()];
    const report = aReport({ sessions: [{ ...session, events: [first] }] });
    const again = { ...report, sessions: [{ ...session, events: [{ ...first, name: 'Changed' }] }] };
    expect(await store(uploadOf(report), uploadOf(again))).toMatchObject({ eventsInserted: 1 });
    expect((await storedRows(service, report)).events.map(({ name }) => name)).toEqual([first.name]);
  });

  test('events of two devices whose sessions have one id stay with their own', async () => {
    const reports = [aReport(), aReport()].map((report) => ({ ...report, sessions: [aSession({ id: 'shared' })] }));
    await store(...reports.map((report) => uploadOf(report)));
    for (const report of reports) {
      const { sessions, events } = await storedRows(service, report);
      expect(events.map(({ sessionRef }) => sessionRef)).toEqual(sessions.map(({ ref }) => ref));
    }
  });

  test('one nonce under two applications is a nonce of each', async () => {
    const applications = [service.application.id, (await service.newApplication()).id];
    const uploads = applications.map((applicationId, at) => ({
      ...uploadOf(aReport(), { applicationId }),
      nonce: { applicationId, nonce: 'AAECAwQFBgcICQoLDA0ODw', bodyHash: Buffer.alloc(32, at) },
    }));
    expect(await store(...uploads)).toMatchObject({ outcomes: ['stored', 'stored'], eventsInserted: 2 });
  });

  test.each(['before', 'after'])(
    'an application that names the campaign of another one counts nothing: %s it',
    async (place) => {
      const campaignId = await createCampaign(service.database.prisma, service.application.id);
      const events = () => [system('CampaignShown', [property('campaignId', campaignId)])];
      const shown = () => aReport({ sessions: [aSession({ events: events() })] });
      const both = [uploadOf(shown()), uploadOf(shown(), { applicationId: (await service.newApplication()).id })];
      await store(...(place === 'after' ? both : both.reverse()));
      expect(await countsOf(service, campaignId)).toEqual({ shown: 1 });
    },
  );

  test('what a device has set in two uploads is applied in the order of their states, not of their arrival', async () => {
    const device = aDevice();
    const delta = (...properties: ReturnType<typeof property>[]) =>
      aReport({ device, user: { lastSyncTS: 1, properties } });
    const older = delta(property('both', 'older'), property('older', 'x'));
    const newer = delta(property('both', 'newer'), property('newer', 'x'));
    await store(uploadOf(newer, { stateAt: now + 1 }), uploadOf(older));
    expect(await propertiesOf(newer)).toEqual({ both: 'newer', older: 'x', newer: 'x' });
  });

  test('a removal that was stored before removes nothing again, also beside one that is new', async () => {
    const removal = aSession({ events: [system('CustomPropertyChanged', [property('key', 'kept')])] });
    const [known, other] = [aDevice(), aDevice()];
    const of = (device: typeof known, sessions = [removal]) =>
      aReport({ device, user: { lastSyncTS: 1, properties: [] }, sessions });
    await store(uploadOf(of(known)));
    const set = aReport({ device: known, user: { lastSyncTS: 1, properties: [property('kept', 'x')] } });
    await store(uploadOf(set, { stateAt: now + 1 }));
    await store(uploadOf(of(known), { stateAt: now + 2 }), uploadOf(of(other), { stateAt: now + 2 }));
    expect(await propertiesOf(set)).toEqual({ kept: 'x' });
  });

  test('a whole set replaces all there was, also where its upload takes one of them away', async () => {
    const device = aDevice();
    const set = (names: string[], sessions = [aSession()]) =>
      aReport({ device, user: { properties: names.map((name) => property(name, 'x')) }, sessions });
    await store(uploadOf(set(['a', 'b'])));
    const removal = aSession({ events: [system('CustomPropertyChanged', [property('key', 'a')])] });
    await store(uploadOf(set(['c'], [removal]), { stateAt: now + 1 }));
    expect(await propertiesOf(set([]))).toEqual({ c: 'x' });
  });

  test('a set that would grow beyond its limit is refused, and nothing of it is stored', async () => {
    const device = aDevice();
    const long = (name: string) =>
      aReport({ device, user: { lastSyncTS: 1, properties: [property(name, 'x'.repeat(3_000_000))] } });
    await store(uploadOf(long('first')));
    const second = uploadOf(long('second'), { stateAt: now + 1 });
    await expect(store(second)).rejects.toMatchObject({ code: 'validation_failed' });
    const { device: stored, sessions } = await storedRows(service, { device });
    expect([Object.keys(stored!.userProperties as object), sessions.length]).toEqual([['first'], 1]);
  });

  testOnOneNode(
    'what changes no user property leaves the stored ones as they are, and what changes one tells their length',
    async () => {
      const device = aDevice();
      const long = randomBytes(150_000).toString('hex');
      const measured: number[] = [];
      const toasted = async () => {
        const { rows } = await service.database.pool.query<{ bytes: string }>(
          "SELECT pg_relation_size(reltoastrelid) AS bytes FROM pg_class WHERE oid = 'devices'::regclass",
        );
        return Number(rows[0]!.bytes);
      };
      const send = (user: SessionReport['user'], events: SessionEvent[] = []) =>
        inTransaction(service.database.pool, (transaction) =>
          storeUploads(
            transaction,
            [uploadOf(aReport({ device, user, sessions: [aSession({ events })] }))],
            (_, length) => measured.push(length),
          ),
        );
      await send({
        properties: Array.from({ length: 40 }, (_, i) => property(`p${i}`, long.slice(i * 7_500, (i + 1) * 7_500))),
      });
      const before = await toasted();
      await send({ lastSyncTS: 1, properties: [] });
      expect([await toasted(), measured]).toEqual([before, []]);
      await send({ lastSyncTS: 1, properties: [property('one', 'more')] });
      await send({ lastSyncTS: 1, properties: [] }, [system('CustomPropertyChanged', [property('key', 'one')])]);
      expect(measured[0]! - measured[1]!).toBe('"one": "more", '.length);
      expect(await toasted()).toBeGreaterThan(before);
    },
  );
});

// Batches that are expected to be new: rows that are already stored are found by their key, with the same result as after a look-up.
describe('storeBatch', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  /** No batch gets other limits than the connection. */
  const onPlainPostgres = { limits: {} };

  function uploadOf(report: SessionReport, nonce: string | null = randomUUID()): Upload {
    const applicationId = service.application.id;
    const bodyHash = createHash('sha256').update(json(report)).digest();
    const rows = sessionRows(report, { applicationId, stateAt: 1_789_000_000 });
    return { ...rows, nonce: nonce === null ? null : { applicationId, nonce, bodyHash } };
  }

  const store = (uploads: Upload[]) =>
    createBatchStore(service.database.pool, onPlainPostgres)(uploads, { behind: false });

  test('a new batch is stored, each event with the number and the day of its session', async () => {
    const reports = Array.from({ length: 5 }, () => aReport({ sessions: [aSession(), aSession({ events: [] })] }));
    const { outcomes, eventsInserted } = await store(reports.map((report) => uploadOf(report)));
    expect(outcomes).toEqual(reports.map(() => 'stored'));
    expect(eventsInserted).toBe(reports.flatMap(({ sessions }) => sessions.flatMap(({ events }) => events)).length);
    for (const report of reports) {
      const { sessions, events, device } = await storedRows(service, report);
      expect(device).not.toBeNull();
      expect(sessions).toHaveLength(2);
      expect(new Set(events.map(({ sessionRef }) => sessionRef))).toEqual(
        new Set(sessions.filter(({ id }) => id === report.sessions[0]!.id).map(({ ref }) => ref)),
      );
    }
    const { rows } = await service.database.pool.query<{ strays: number; late: number }>(
      `SELECT count(*) FILTER (WHERE s.ref IS NULL OR e.anchored_on <> (s.received_at AT TIME ZONE 'UTC')::date)::integer AS strays,
      count(*) FILTER (WHERE abs(extract(epoch FROM s.received_at - e.received_at)) > 60)::integer AS late
    FROM events e LEFT JOIN sessions s ON s.ref = e.session_ref AND s.device_key = e.device_key`,
    );
    expect(rows).toEqual([{ strays: 0, late: 0 }]);
  });

  test('a batch with a session that is stored already keeps what is new of it and doubles nothing', async () => {
    const campaignId = await createCampaign(service.database.prisma, service.application.id);
    const params = [
      { name: 'source', value: 'Anything' },
      { name: 'campaignId', value: campaignId },
    ];
    const shown = anEvent({ type: 'system', name: 'CampaignShown', params });
    const [session, added, other] = [aSession({ events: [shown], finishDate: null }), anEvent(), aReport()];
    const report = aReport({ sessions: [session] });
    const again = {
      ...report,
      sessions: [{ ...session, finishDate: '2026-09-10T00:30:00Z', events: [shown, added] }],
    };
    expect(await store([uploadOf(report)])).toMatchObject({ eventsInserted: 1 });
    const both = await store([uploadOf(again), uploadOf(other)]);
    expect(both).toMatchObject({ outcomes: ['stored', 'stored'], eventsInserted: 2 });
    const { sessions, events } = await storedRows(service, report);
    expect(sessions).toMatchObject([{ id: session.id, finishedAt: new Date('2026-09-10T00:30:00Z') }]);
    expect(events.map(({ id }) => id).sort()).toEqual([shown.id, added.id].sort());
    expect((await storedRows(service, other)).events).toHaveLength(1);
    expect(await countsOf(service, campaignId)).toEqual({ shown: 1 });
  });

  test('a nonce that is known is told from a new one by its body', async () => {
    const [nonce, report, other, third] = [randomUUID(), aReport(), aReport(), aReport()];
    await store([uploadOf(report, nonce)]);
    const { outcomes } = await store([uploadOf(report, nonce), uploadOf(other, nonce), uploadOf(third)]);
    expect(outcomes).toEqual(['repeated', 'nonce_reused', 'stored']);
    expect((await storedRows(service, other)).sessions).toEqual([]);
    expect((await storedRows(service, third)).sessions).toHaveLength(1);
  });

  test('a batch that was sent behind one which turns out to be known is stored all the same', async () => {
    const [report, other] = [aReport(), aReport()];
    const keep = createBatchStore(service.database.pool, onPlainPostgres);
    await keep([uploadOf(report)], { behind: false });
    const known = keep([uploadOf(report)], { behind: false });
    await new Promise((resolve) => setImmediate(resolve));
    const behind = keep([uploadOf(other)], { behind: true });
    expect(await known).toMatchObject({ outcomes: ['stored'], eventsInserted: 0 });
    expect(await behind).toMatchObject({ outcomes: ['stored'], eventsInserted: 1 });
    expect((await storedRows(service, report)).events).toHaveLength(1);
    expect((await storedRows(service, other)).events).toHaveLength(1);
  });

  test('processes that take the same sessions to be new at once store each event once', async () => {
    const reports = Array.from({ length: 12 }, () => aReport({ sessions: [aSession(), aSession()] }));
    const processes = Array.from({ length: 6 }, () => createBatchStore(service.database.pool, onPlainPostgres));
    await Promise.all(
      processes.map((each, at) =>
        each(
          [...reports.slice(at), ...reports.slice(0, at)].map((it) => uploadOf(it)),
          { behind: false },
        ),
      ),
    );
    for (const report of reports) {
      const { sessions, events } = await storedRows(service, report);
      expect([sessions.length, events.length]).toEqual([2, report.sessions.flatMap(({ events }) => events!).length]);
    }
  });
});

// What uploads leave behind does not depend on the order of their arrival, one by one or in one batch, in both ways to store it.
describe('uploadOrder', () => {
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
      const line = createPipelinedConnection(service.database.pool);
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
        ...[
          session.id,
          session.startedAt,
          session.utcOffsetMinutes,
          session.finishedAt,
          session.userId,
          session.userAt,
        ],
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
});

// The dates of a session that comes again: those that can be true hold, whatever their order and however late they arrive.
describe('sessionDates', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

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
    expect(await read()).toMatchObject({
      startedAt: new Date(now - hours),
      finishedAt: new Date(now - hours + 60_000),
    });
  });
});

// The log of changes: one row for each transaction that stores or removes, with all that it touched.
describe('sessionChanges', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startTestService();
  });
  afterEach(() => service.stop());

  interface Row {
    xid: string;
    refs: string[];
    device_keys: string[];
    dropped_before: string | null;
    removed_application: string | null;
    purchases_of: string | null;
    transactions: string[] | null;
    lines: string[] | null;
  }

  const query = <Found extends object>(text: string, values: unknown[] = []) =>
    service.database.pool.query<Found>(text, values).then(({ rows }) => rows);
  const changes = () =>
    query<Row>(`SELECT xid::text, refs::text[], device_keys::text[], dropped_before::text,
    removed_application, purchases_of, transactions, lines FROM session_changes ORDER BY at, xid::text::bigint`);
  const refsOf = () => query<{ ref: string }>('SELECT s.ref::text FROM sessions s ORDER BY s.ref');

  test('a batch of new sessions and one of known sessions name their sessions, devices and rows', async () => {
    const session = aSession({ events: [anEvent(), anEvent()] });
    const report = aReport({ sessions: [session, aSession({ events: [] })] });
    await sendReport(service, report);
    const key = deviceKey(service.application.id, report.device.id);
    const refs = (await refsOf()).map(({ ref }) => ref);
    const [first] = await changes();
    expect(first).toMatchObject({ device_keys: [key, key] });
    expect(first!.refs.toSorted()).toEqual(refs);
    await sendReport(service, { ...report, sessions: [{ ...session, events: [anEvent()] }] });
    const [, second, ...others] = await changes();
    expect(others).toEqual([]);
    const [known] = await query<{ ref: string }>('SELECT ref::text FROM sessions WHERE id = $1', [session.id]);
    expect(second).toMatchObject({ refs: [known!.ref], device_keys: [key] });
  });

  testOnOneNode('the transaction of a row is that of its sessions', async () => {
    await sendReport(service, aReport());
    const rows = await query('SELECT FROM session_changes c JOIN sessions s ON s.xmin = c.xid::xid');
    expect(rows).toHaveLength(1);
  });

  test('what retention removes is named, and the first times stay: the arrival where a time cannot be true', async () => {
    await query("UPDATE applications SET created_at = '2020-01-01T00:00:00Z'");
    const events = [
      anEvent({ name: 'bought', timestamp: 1_600_000_100 }),
      anEvent({ name: 'bought', timestamp: 1_600_000_050 }),
      anEvent({ name: 'EventTriggered', type: 'system', timestamp: 1_600_000_010, params: [] }),
      anEvent({ name: 'reset clock', timestamp: 1_000 }),
    ];
    const startDate = '2020-09-13T12:27:00Z';
    const reports = [
      aReport({ user: { id: 'ann' }, sessions: [aSession({ events, startDate })] }),
      aReport({ sessions: [aSession({ events: [], startDate })] }),
    ];
    for (const report of reports) await sendReport(service, report);
    await query(`CREATE TABLE events_20240101 PARTITION OF events FOR VALUES FROM ('2024-01-01') TO ('2024-01-08')`);
    await query("UPDATE sessions SET received_at = '2024-01-03T10:00:00Z'");
    await query("UPDATE events SET anchored_on = '2024-01-03'");
    const [arrived] = await query<{
      at: string;
    }>(`SELECT (extract(epoch FROM received_at) * 1000000)::bigint::text AS at
    FROM events WHERE name = 'reset clock'`);
    const refs = (await refsOf()).map(({ ref }) => ref);
    await query('DELETE FROM session_changes');
    await dropOldEvents(service.database.pool, 30, createLog('silent'));
    const rows = await changes();
    expect(rows.map((row) => row.dropped_before)).toEqual(['2024-01-08', null]);
    expect(rows[1]!.refs.toSorted()).toEqual(refs);
    const [ann, nobody] = reports.map(({ device }) => deviceKey(service.application.id, device.id));
    const micros = (seconds: number): string => `${seconds}000000`;
    const begun = Date.parse(startDate) / 1_000;
    const firsts = await query('SELECT kind, unit, name, system, at::text FROM analytics_firsts');
    const first = (kind: string, unit: string, [name, system, at]: [string, boolean, number]) => ({
      ...{ kind, unit, name, system },
      at: micros(at),
    });
    const of = (kind: string, unit: string) => [
      first(kind, unit, ['bought', false, 1_600_000_050]),
      first(kind, unit, ['EventTriggered', true, 1_600_000_010]),
      first(kind, unit, ['', false, begun]),
      { kind, unit, name: 'reset clock', system: false, at: arrived!.at },
    ];
    const expected = [
      ...of('D', ann!),
      ...of('U', 'ann'),
      first('D', nobody!, ['', false, begun]),
      first('A', nobody!, ['', false, begun]),
    ];
    expect(firsts).toHaveLength(expected.length);
    expect(firsts).toEqual(expect.arrayContaining(expected));
  });

  test('a deleted application is named at once, and its sessions and devices when they go', async () => {
    const application = await service.newApplication();
    await fillApplication(service, application);
    await query('DELETE FROM session_changes');
    const { id } = application;
    await query('UPDATE applications SET deleted_at = now() WHERE id = $1', [id]);
    const refs = await query<{ ref: string }>('SELECT ref::text FROM sessions WHERE application_id = $1', [id]);
    const keys = await query<{ key: string }>('SELECT key FROM devices WHERE application_id = $1', [id]);
    while (await removeDevices(service.database.pool, id));
    const rows = await changes();
    expect(rows[0]).toMatchObject({ removed_application: id, refs: [] });
    expect(rows.flatMap((row) => row.refs).sort()).toEqual(refs.map(({ ref }) => ref).sort());
    expect(rows.at(-1)!.device_keys).toEqual(keys.map(({ key }) => key));
  });

  test('a store transaction and a line are named when a read would show another thing', async () => {
    const application = await service.newApplication();
    await fillApplication(service, application);
    const { id } = application;
    const told = (await changes()).filter((row) => row.purchases_of === id);
    const lines = await query<{ line_id: string }>('SELECT line_id FROM store_entitlements WHERE application_id = $1', [
      id,
    ]);
    expect(told.some((row) => row.transactions?.length)).toBe(true);
    expect(told.flatMap((row) => row.lines ?? [])).toEqual(expect.arrayContaining(lines.map(({ line_id }) => line_id)));
    await query('DELETE FROM session_changes');
    await query('UPDATE store_transactions SET last_looked_up_at = now() WHERE application_id = $1', [id]);
    await query('UPDATE store_entitlements SET next_look_up_at = now() WHERE application_id = $1', [id]);
    expect(await changes()).toEqual([]);
    await query('UPDATE store_transactions SET revoked_at = now() WHERE application_id = $1', [id]);
    await query("UPDATE store_entitlements SET owner_external_id = 'ann' WHERE application_id = $1", [id]);
    await query('DELETE FROM store_transactions WHERE application_id = $1', [id]);
    const named = (await changes()).map(({ transactions, lines: ofLines }) => [transactions?.length, ofLines?.length]);
    expect(named).toEqual([
      [1, undefined],
      [undefined, 1],
      [1, undefined],
    ]);
  });

  test('rows of more than seven days are deleted, however many there are', async () => {
    await query("INSERT INTO session_changes (at) SELECT now() - interval '8 days' FROM generate_series(1, 4100)");
    await query("INSERT INTO session_changes (at) SELECT now() - interval '6 days' FROM generate_series(1, 3)");
    await deleteOldChanges(service.database.pool);
    expect(await changes()).toHaveLength(3);
  });
});
