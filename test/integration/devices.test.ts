// The query device: its sessions, events, installations, transactions and entitlements.
import { randomUUID } from 'node:crypto';
import { deviceKey } from '../../src/devices/deviceKey.ts';
import { findDevice } from '../../src/devices/device.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { sessionRows } from '../../src/sessions/upload.ts';
import { deviceRows, upsertDevices } from '../../src/sessions/writer/uploadsStore.ts';
import { randomSource } from '../tools/demo/simulation/randomSource.ts';
import { sendReport } from '../support/reportSessions.ts';
import { countStatements } from '../support/statements.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';
import { aDevice, anEvent, aReport, aSession } from '../support/uploads.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// query device: it returns exactly the uploaded data, from uploads of every kind.
describe('device', () => {
  let service: TestService;
  let viewer: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
  });

  const query = `query D($app: UUID!, $id: String!, $limit: Int) {
  device(applicationId: $app, id: $id) {
    id userId properties userProperties firstSeenAt lastSeenAt sessionsCount
    sessions(limit: $limit) {
      id globalNumber versionNumber startedAt utcOffsetMinutes finishedAt datesSuspect receivedAt userId
      events { id name type timestamp timestampSuspect receivedAt params }
    }
    attribution { provider payload receivedAt }
    transactions { id state reason receivedAt resolvedAt }
    entitlements { productId }
  }
}`;
  const read = (id: string, limit?: number, app = service.application.id) => viewer.ask(query, { app, id, limit });
  const send = (operationId: string, body: unknown) =>
    service.client.send(operationId, { 'X-Api-Key': service.application.key.public }, body);
  const anyMoment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;

  test('shows the sessions newest first and their events as they were sent', async () => {
    const events = [
      anEvent({ id: 'late', timestamp: 1_789_000_020.5, date: '2026-09-10T00:27:00.500Z', params: [] }),
      anEvent({
        id: 'early',
        name: 'SessionStarted',
        type: 'system',
        timestamp: 1_789_000_000,
        date: '2026-09-10T00:26:40Z',
        params: [{ name: 'type', value: 'cold' }],
      }),
    ];
    const older = aSession({
      id: 'began first',
      startDate: '2026-09-10T02:26:40+02:00',
      finishDate: '2026-09-10T00:30:00Z',
      events,
    });
    const newer = aSession({
      id: 'began second',
      number: { global: 2 ** 53 - 1, version: 1 },
      ...{ startDate: '2026-09-11T00:00:00Z', finishDate: '2026-09-10T00:00:00Z' },
      events: [],
    });
    const device = aDevice();
    const user = {
      id: 'user-1',
      properties: [
        { name: 'plan', value: 'pro' },
        { name: 'seats', value: 3 },
      ],
    };
    await sendReport(service, aReport({ user, device, sessions: [older, newer] }));
    const { data, text } = await read(device.id);
    expect(data!['device']).toEqual({
      id: device.id,
      userId: 'user-1',
      properties: { ...device.properties, adId: null, country: null },
      userProperties: { plan: 'pro', seats: 3 },
      firstSeenAt: anyMoment,
      lastSeenAt: anyMoment,
      sessionsCount: 2,
      sessions: [
        {
          id: 'began second',
          globalNumber: 2 ** 53 - 1,
          versionNumber: 1,
          ...{ startedAt: '2026-09-11T00:00:00.000Z', finishedAt: '2026-09-10T00:00:00.000Z' },
          ...{ utcOffsetMinutes: 0, datesSuspect: true, userId: 'user-1' },
          receivedAt: anyMoment,
          events: [],
        },
        {
          id: 'began first',
          globalNumber: 3,
          versionNumber: 2,
          ...{ startedAt: '2026-09-10T00:26:40.000Z', finishedAt: '2026-09-10T00:30:00.000Z' },
          ...{ utcOffsetMinutes: 120, datesSuspect: false, userId: 'user-1' },
          receivedAt: anyMoment,
          events: [
            {
              id: 'late',
              name: 'LevelCompleted',
              type: 'CUSTOM',
              timestamp: '2026-09-10T00:27:00.500Z',
              timestampSuspect: false,
              receivedAt: anyMoment,
              params: {},
            },
            {
              id: 'early',
              name: 'SessionStarted',
              type: 'SYSTEM',
              timestamp: '2026-09-10T00:26:40.000Z',
              timestampSuspect: false,
              receivedAt: anyMoment,
              params: { type: 'cold' },
            },
          ],
        },
      ],
      attribution: [],
      transactions: [],
      entitlements: [],
    });
    expect(new Set(text.match(/"receivedAt":"[^"]*"/g)).size).toBe(1);
  });

  test('attribution alone makes a device known, and its numbers keep their digits in the response', async () => {
    const id = randomUUID();
    const payload = '{"campaign":12345678901234567890,"cost":1.10,"big":1e400,"name":"\\u00e9 \\"x\\""}';
    const body = `{"device":{"id":"${id}"},"system":{"os_version":"18"},"attribution":{"provider_b":${payload}},"custom":{"z":-0}}`;
    expect((await send('reportAttribution', Buffer.from(body))).status).toBe(200);
    const { text } = await read(id);
    expect(text).toContain(`"attribution":[{"provider":"provider_b","payload":${payload},"receivedAt":"`);
    expect(text).toContain('{"provider":"custom","payload":{"z":-0},"receivedAt":"');
    expect(text).toContain('"userId":null,"properties":null,"userProperties":{},"firstSeenAt":"20');
    expect(text).toContain('"sessionsCount":0,"sessions":[]');
  });

  test('whole numbers keep all their digits, in the properties of the user and of events', async () => {
    const device = aDevice();
    const property = (value: string) => `[{"name":"big","value":${value}}]`;
    const report = JSON.stringify(
      aReport({
        device,
        user: { properties: 'of the user' as never },
        sessions: [aSession({ events: [anEvent({ params: 'of the event' as never })] })],
      }),
    );
    const body = report
      .replace('"of the user"', property('9223372036854775807'))
      .replace('"of the event"', property('-9223372036854775808'));
    expect((await send('reportSessions', Buffer.from(body))).status).toBe(200);
    const { text } = await read(device.id);
    expect(text).toContain('"userProperties":{"big": 9223372036854775807}');
    expect(text).toContain('"params":{"big": -9223372036854775808}');
  });

  test('a transaction alone makes a device known', async () => {
    const id = randomUUID();
    await send('reportStoreTransactions', { device: { id }, transactions: [{ id: 'transaction-1' }] });
    const { data } = await read(id);
    const transactions = [
      { id: 'transaction-1', state: 'PENDING', reason: 'waiting_behind', receivedAt: anyMoment, resolvedAt: null },
    ];
    expect(data!['device']).toMatchObject({ id, properties: null, transactions, entitlements: [] });
  });

  test('limits the sessions, 20 unless asked otherwise', async () => {
    const device = aDevice();
    const sessions = Array.from({ length: 25 }, (_, at) => aSession({ id: `s${String(at).padStart(2, '0')}` }));
    await sendReport(service, aReport({ device, sessions }));
    const shown = async (limit?: number) =>
      ((await read(device.id, limit)).data!['device'] as { sessions: { id: string }[] }).sessions;
    expect(await shown()).toHaveLength(20);
    expect((await shown(2)).map(({ id }) => id)).toEqual(['s00', 's01']);
    expect(await shown(200)).toHaveLength(25);
    for (const limit of [0, -1, 201]) {
      const { errors } = await read(device.id, limit);
      expect(errors[0]!.extensions).toEqual({
        code: 'BAD_USER_INPUT',
        fields: [{ path: 'limit', message: 'must be 1 to 200' }],
      });
    }
  });

  test('the number of statements does not grow with the sessions', async () => {
    const [few, many] = [aDevice(), aDevice()];
    await sendReport(service, aReport({ device: few, sessions: [aSession()] }));
    await sendReport(service, aReport({ device: many, sessions: Array.from({ length: 30 }, () => aSession()) }));
    const count = (id: string) => countStatements(() => read(id, 200));
    expect(await count(many.id)).toBe(await count(few.id));
  });

  test('is null for an unknown device, and for another organization in the same words', async () => {
    const other = await service.newApplication();
    const device = aDevice();
    await sendReport(service, aReport({ device }), { 'X-Api-Key': other.key.public });
    const texts = [
      await read(randomUUID()),
      await read(device.id),
      await read(device.id, undefined, other.id),
      await read(device.id, undefined, randomUUID()),
    ].map(({ text }) => text);
    expect(new Set(texts)).toEqual(new Set(['{"data":{"device":null}}']));
  });

  test.each(['', 'x'.repeat(257), 'a\u0000'])('is no device id: %j', async (id) => {
    const { errors } = await read(id);
    expect(errors[0]!.extensions).toMatchObject({ code: 'BAD_USER_INPUT', fields: [{ path: 'id' }] });
  });

  test('is the same by the application id in upper case', async () => {
    const device = aDevice();
    await sendReport(service, aReport({ device }));
    const { data } = await read(device.id, undefined, service.application.id.toUpperCase());
    expect(data!['device']).toMatchObject({ id: device.id });
  });

  test('sessions that start at one instant come in the order of their ids', async () => {
    const device = aDevice();
    for (const id of ['d', 'c', 'b', 'a']) await sendReport(service, aReport({ device, sessions: [aSession({ id })] }));
    const { data } = await read(device.id);
    const { sessions } = data!['device'] as { sessions: { id: string }[] };
    expect(sessions.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
  });
});

// query device: the events of its sessions, page by page.
describe('device: events', () => {
  let service: TestService;
  let viewer: TestUser;
  beforeAll(async () => {
    service = await startTestService();
    viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
  });
  afterAll(() => service.stop());

  test('shows the events of a session page by page, each session and each device by itself', async () => {
    const ids = [0, 1, 2, 3, 4].map((at) => `e${at}`);
    const events = ids.map((id, at) => anEvent({ id, timestamp: 1_789_000_000 + at }));
    const devices = [aDevice(), aDevice()];
    for (const device of devices) {
      const sessions = ['s1', 's2'].map((id) => aSession({ id, events: events.toReversed() }));
      await sendReport(service, aReport({ device, sessions }));
    }
    const page = (limit: number | null, offset: number) => `{ events(limit: ${limit}, offset: ${offset}) { id } }`;
    const query = `query Pages($app: UUID!, $one: String!, $other: String!) {
    one: device(applicationId: $app, id: $one) { begin: sessions ${page(2, 0)} more: sessions ${page(2, 2)} }
    other: device(applicationId: $app, id: $other) { all: sessions ${page(null, 1)} again: sessions ${page(null, 1)} }
    none: device(applicationId: $app, id: $other) { sessions ${page(20_000, 5)} }
  }`;
    const { data, errors } = await viewer.ask(query, {
      app: service.application.id,
      one: devices[0]!.id,
      other: devices[1]!.id,
    });
    expect(errors).toEqual([]);
    const both = (...shown: string[]) => Array.from({ length: 2 }, () => ({ events: shown.map((id) => ({ id })) }));
    expect(data).toEqual({
      one: { begin: both('e4', 'e3'), more: both('e2', 'e1') },
      other: { all: both('e3', 'e2', 'e1', 'e0'), again: both('e3', 'e2', 'e1', 'e0') },
      none: { sessions: both() },
    });
  });

  test('events of one instant come as they were sent, page by page as well, and those of earlier releases by their ids', async () => {
    const ids = Array.from({ length: 30 }, (_, at) => `e${String(at).padStart(2, '0')}`);
    const device = aDevice();
    const events = ids.map((id) => anEvent({ id }));
    await sendReport(service, aReport({ device, sessions: [aSession({ events: events.toReversed() })] }));
    const pages = [0, 10, 20].map((offset) => `p${offset}: events(limit: 10, offset: ${offset}) { id }`);
    const shown = async (): Promise<string[]> => {
      const { data } = await ask(device.id, pages.join(' '));
      const { sessions } = data!['device'] as { sessions: Record<string, { id: string }[]>[] };
      return Object.values(sessions[0]!).flatMap((page) => page.map(({ id }) => id));
    };
    expect(await shown()).toEqual(ids.toReversed());
    await service.database.pool.query('UPDATE events SET place = NULL');
    expect(await shown()).toEqual(ids);
  });

  /** Selects from the sessions of one device. */
  function ask(id: string, fields: string) {
    const query = `query Sessions($app: UUID!, $id: String!) {
    device(applicationId: $app, id: $id) { sessions { ${fields} } }
  }`;
    return viewer.ask(query, { app: service.application.id, id });
  }

  test('shows the events of a session in the order of their uploads, and in an upload as it sent them', async () => {
    const device = aDevice();
    const session = aSession({ events: [] });
    const at = (id: string, seconds: number) => anEvent({ id, timestamp: 1_789_000_000 + seconds });
    const uploads = [
      [at('b', 9), at('a', 9)],
      [at('later', 1), at('a', 9), at('c', 1)],
      // Of a session that is new in its batch, and of one that is known: both store the place.
      [at('d', 0)],
    ];
    for (const events of uploads) await sendReport(service, aReport({ device, sessions: [{ ...session, events }] }));
    const { data } = await ask(device.id, 'events { id }');
    const { sessions } = data!['device'] as { sessions: { events: { id: string }[] }[] };
    expect(sessions[0]!.events.map(({ id }) => id)).toEqual(['b', 'a', 'later', 'c', 'd']);
  });

  test('a session of more events than one response holds is read page by page', async () => {
    const device = aDevice();
    await sendReport(
      service,
      aReport({ device, sessions: [aSession({ events: [anEvent({ timestamp: 1_700_000_000 })] })] }),
    );
    const copies = `
    WITH recorded AS (SELECT * FROM events WHERE device_key = $1)
    INSERT INTO events
    SELECT changed.* FROM recorded CROSS JOIN generate_series(1, 20100) AS n CROSS JOIN LATERAL jsonb_populate_record(
      recorded::events,
      jsonb_build_object('id', '\\\\x' || encode(int4send(n), 'hex'), 'occurred_at', occurred_at + n * interval '1 s')
    ) AS changed`;
    await service.database.pool.query(copies, [deviceKey(service.application.id, device.id)]);
    expect((await ask(device.id, 'events { id }')).codes).toEqual(['BAD_USER_INPUT']);
    // Each alias counts.
    expect((await ask(device.id, 'one: events(limit: 9900) { id }')).codes).toEqual([]);
    const thrice = [1, 2, 3].map((n) => `e${n}: events(limit: 9900) { id }`).join(' ');
    expect((await ask(device.id, thrice)).codes).toContain('BAD_USER_INPUT');
    const { data, errors } = await ask(device.id, 'events(limit: 1000, offset: 20000) { timestamp }');
    expect(errors).toEqual([]);
    const { sessions } = data!['device'] as { sessions: { events: { timestamp: string }[] }[] };
    const last = Array.from({ length: 101 }, (_, at) => new Date((1_700_000_000 + 20_000 + at) * 1_000).toISOString());
    expect(sessions).toEqual([{ events: last.map((timestamp) => ({ timestamp })) }]);
  });

  test.each([
    ['limit: 0', 'limit'],
    ['limit: 20001', 'limit'],
    ['offset: -1', 'offset'],
  ])('events(%s) is refused', async (given, path) => {
    const device = aDevice();
    await sendReport(service, aReport({ device }));
    const { errors } = await ask(device.id, `events(${given}) { id }`);
    expect(errors.map(({ extensions }) => extensions)).toMatchObject([{ code: 'BAD_USER_INPUT', fields: [{ path }] }]);
  });
});

// Device.installs: the installations that reported under one device id.
describe('device: installs', () => {
  let service: TestService;
  let viewer: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
  });

  const query = `query D($app: UUID!, $id: String!) {
  device(applicationId: $app, id: $id) { installs { vendorIdentifier installedAt firstSeenAt lastSeenAt } }
}`;
  const read = (id: string) => viewer.ask(query, { app: service.application.id, id });

  test('lists each installation that reported under the id, the one seen first first', async () => {
    const device = aDevice();
    const other = { ...device, properties: { ...device.properties, vendorIdentifier: 'a b', installDatetime: 1.5 } };
    for (const from of [device, other, device]) await sendReport(service, aReport({ device: from }));
    const { data } = await read(device.id);
    const { installs } = data!['device'] as { installs: { firstSeenAt: string; lastSeenAt: string }[] };
    expect(installs).toMatchObject([
      { vendorIdentifier: 'vendor-1', installedAt: '2025-10-09T08:53:20.000Z' },
      { vendorIdentifier: 'a b', installedAt: '1970-01-01T00:00:01.500Z' },
    ]);
    const [first, second] = installs as [(typeof installs)[0], (typeof installs)[0]];
    expect(second.firstSeenAt).toBe(second.lastSeenAt);
    expect(first.firstSeenAt < second.firstSeenAt && second.lastSeenAt < first.lastSeenAt).toBe(true);
  });

  test('takes no new installation beyond 65,536 characters, and goes on with those that it has', async () => {
    const device = aDevice();
    const install = (at: number) => ({
      ...device,
      properties: { ...device.properties, vendorIdentifier: `${at}${'x'.repeat(8_000)}` },
    });
    for (let at = 0; at < 10; at++) await sendReport(service, aReport({ device: install(at) }));
    await sendReport(service, aReport({ device: install(0) }));
    const { data } = await read(device.id);
    const { installs } = data!['device'] as { installs: { vendorIdentifier: string; lastSeenAt: string }[] };
    expect(installs.map(({ vendorIdentifier }) => vendorIdentifier[0])).toEqual([...'012345678']);
    expect(installs[0]!.lastSeenAt > installs[8]!.lastSeenAt).toBe(true);
  });
});

// query device: the pages of its transactions and entitlements.
describe('device: pages', () => {
  let service: TestService;
  let viewer: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
  });

  const send = (operationId: string, body: unknown) =>
    service.client.send(operationId, { 'X-Api-Key': service.application.key.public }, body);

  test('transactions and entitlements come page by page, newest first, 500 of them unless more are asked for', async () => {
    const id = randomUUID();
    const first = Array.from({ length: 500 }, (_, at) => ({ id: `first-${at}` }));
    await send('reportStoreTransactions', { device: { id }, transactions: first });
    await send('reportStoreTransactions', { device: { id }, transactions: [{ id: 'second-a' }, { id: 'second-b' }] });
    // Of those that are not resolved, a device lists 100.
    await service.database.prisma.storeTransaction.updateMany({ data: { state: 'RESOLVED' } });
    const pages = `query D($app: UUID!, $id: String!, $limit: Int, $other: Int) {
    device(applicationId: $app, id: $id) {
      all: transactions(limit: 20000) { id } usual: transactions { id } asked: transactions(limit: $limit) { id }
      entitlements(limit: $other) { productId }
    }
  }`;
    const ask = (limit: number | null, other: number | null = null) =>
      viewer.ask(pages, { app: service.application.id, id, limit, other });
    const { data, errors } = await ask(3);
    expect(errors).toEqual([]);
    const { all, usual, asked } = data!['device'] as Record<'all' | 'usual' | 'asked', { id: string }[]>;
    expect(all.map((transaction) => transaction.id).slice(0, 3)).toEqual(['second-a', 'second-b', 'first-0']);
    expect([all.length, usual, asked]).toEqual([502, all.slice(0, 500), all.slice(0, 3)]);
    const message = 'must be 1 to 20000';
    for (const [limit, other] of [
      [0, 1],
      [20_001, 1],
      [1, 0],
      [1, 20_001],
    ] as const) {
      const refused = await ask(limit, other);
      expect(refused.errors.map(({ extensions }) => extensions)).toEqual([
        { code: 'BAD_USER_INPUT', fields: [{ path: 'limit', message }] },
      ]);
    }
  });
});

// Device.installs after sequences of uploads in any order, against a plain reference.
describe('installSequences', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const applicationId = '01990000-0000-7000-8000-000000000001';
  interface Sent {
    install: number;
    at: number;
  }

  function reportOf(id: string, install: number) {
    const device = aDevice(id);
    return aReport({
      device: {
        ...device,
        properties: { ...device.properties, vendorIdentifier: `v ${install}`, installDatetime: install },
      },
    });
  }

  async function store(id: string, { install, at }: Sent): Promise<void> {
    const { device } = sessionRows(reportOf(id, install), { applicationId, stateAt: at });
    await inTransaction(database.pool, (transaction) => upsertDevices(transaction, deviceRows([device], null)));
  }

  async function installsOf(id: string): Promise<(string | number)[][]> {
    const [found] = await findDevice(database.pool, { key: deviceKey(applicationId, id), bytes: 1e6 });
    const rows = found!.installs.map(({ vendorIdentifier, firstSeenAt, lastSeenAt }) => [
      vendorIdentifier,
      firstSeenAt.getTime(),
      lastSeenAt.getTime(),
    ]);
    return rows.sort();
  }

  function expected(sent: Sent[]): (string | number)[][] {
    const rows = [...new Set(sent.map(({ install }) => install))].map((install) => {
      const millis = sent.filter((other) => other.install === install).map(({ at }) => at * 1_000);
      return [`v ${install}`, Math.min(...millis), Math.max(...millis)];
    });
    return rows.sort();
  }

  /** Rows of the release before: every install in the JSON. Of immutable functions alone, as a cluster wants them. */
  const asBefore = `UPDATE devices SET install_since = NULL, installs = installs || ('{"' ||
  (properties ->> 'installDatetime') || ' ' || (properties ->> 'vendorIdentifier') || '": [' || install_since::text || ', ' ||
  extract(epoch FROM state_at - 'epoch'::timestamptz)::text || ']}')::jsonb WHERE install_since IS NOT NULL`;

  test.each(['this release', 'the release before'])(
    'each install has its first and last time, with rows of %s',
    async (by) => {
      const random = randomSource(7, by);
      for (let device = 0; device < 40; device++) {
        const id = `device-${by}-${device}`;
        const sent: Sent[] = [];
        for (let upload = 0; upload < 8; upload++) {
          const next = { install: random.between(1, 3), at: 1_789_000_000 + random.between(0, 5) + 0.25 };
          sent.push(next);
          await store(id, next);
          if (by !== 'this release' && upload === 3) await database.pool.query(asBefore);
          expect([sent, await installsOf(id)]).toEqual([sent, expected(sent)]);
        }
      }
    },
  );
});
