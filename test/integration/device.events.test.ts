// query device: the events of its sessions, page by page.
import { deviceKey } from '../../src/devices/deviceKey.ts';
import { sendReport } from '../support/reportSessions.ts';
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

test('a session of more events than one answer holds is read page by page', async () => {
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
