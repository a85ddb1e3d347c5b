// query device: it returns exactly the uploaded data, from uploads of every kind.
import { randomUUID } from 'node:crypto';
import { sendReport } from '../support/reportSessions.ts';
import { countStatements } from '../support/statements.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';
import { aDevice, anEvent, aReport, aSession } from '../support/uploads.ts';

let service: TestService;
let viewer: TestUser;
beforeAll(async () => {
  service = await startTestService();
  viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
});
afterAll(() => service.stop());

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

test('attribution alone makes a device known, and its numbers keep their digits in the answer', async () => {
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
