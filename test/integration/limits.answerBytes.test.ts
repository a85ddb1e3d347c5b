// The length of a response of the admin API (schema.graphql, "Limits"): a response over the limit is refused before it fills the memory.
import { deviceKey } from '../../src/devices/deviceKey.ts';
import { findEvents, findSessions } from '../../src/sessions/read/deviceSessionsStore.ts';
import { sendReport } from '../support/reportSessions.ts';
import { storeLine } from '../support/storedLines.ts';
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

const tooLong = [
  {
    code: 'BAD_USER_INPUT',
    fields: [{ path: '', message: expect.stringContaining('16777216 bytes') as string }],
  },
];
async function refusalOf(query: string, variables?: Record<string, unknown>) {
  const { status, errors, text } = await viewer.ask(query, variables);
  expect([status, text.length < 5_000]).toEqual([200, true]);
  // Without `data`, a client would take the operation for one that was not executed.
  expect(JSON.parse(text)).toHaveProperty('data');
  return errors.map(({ extensions }) => extensions);
}

test('the transactions of a line count in a page of entitlements', async () => {
  const applicationId = service.application.id;
  const lineId = await storeLine(service, applicationId);
  await service.database.pool.query(
    `INSERT INTO store_transactions (id, application_id, line_id)
      SELECT rpad('t' || n, 250, 'x'), $1, $2 FROM generate_series(1, 5000) n`,
    [applicationId, lineId],
  );
  const pages = (count: number) => {
    const page = `entitlements(applicationId: "${applicationId}") { nodes { storeTransactionIds } }`;
    return `{ ${Array.from({ length: count }, (_, at) => `a${at}: ${page}`).join(' ')} }`;
  };
  expect(await refusalOf(pages(14))).toEqual(tooLong);
  expect((await viewer.ask(pages(12))).errors).toEqual([]);
});

describe('campaigns', () => {
  const ids: string[] = [];
  beforeAll(async () => {
    const { rows } = await service.database.pool.query<{ id: string }>(
      `INSERT INTO campaigns (id, application_id, name, trigger, action)
        SELECT gen_random_uuid(), $1, 'c' || n, '{"event":"E","type":"CUSTOM"}',
          jsonb_build_object('type', 'open', 'blocking', true, 'payload', repeat('x', 100000))
        FROM generate_series(1, 180) n RETURNING id`,
      [service.application.id],
    );
    ids.push(...rows.map(({ id }) => id));
  });

  test('a list of long payloads is refused, and a page of it is not', async () => {
    expect(await refusalOf('{ campaigns(limit: 180) { action { payload } } }')).toEqual(tooLong);
    const { data, errors } = await viewer.ask('{ campaigns(limit: 150) { action { type payload blocking } } }');
    expect(errors).toEqual([]);
    const payload = 'x'.repeat(100_000);
    expect(data!['campaigns']).toEqual(
      Array.from({ length: 150 }, () => ({ action: { type: 'open', payload, blocking: true } })),
    );
  });

  test('actions without their payloads are short', async () => {
    const lists = Array.from({ length: 15 }, (_, at) => `a${at}: campaigns(limit: 180) { action { type blocking } }`);
    const { data, errors } = await viewer.ask(`{ ${lists.join(' ')} }`);
    expect(errors).toEqual([]);
    expect(data!['a14']).toEqual(Array.from({ length: 180 }, () => ({ action: { type: 'open', blocking: true } })));
  });

  test('two lists share what one may hold', async () => {
    const query = '{ campaigns(limit: 90) { action { payload } } b: campaigns(limit: 90) { action { ...P } } }';
    expect(await refusalOf(`${query} fragment P on CampaignAction { payload }`)).toEqual(tooLong);
  });

  test('one list under many names is as long as it is written', async () => {
    const names = (count: number) => Array.from({ length: count }, (_, at) => `p${at}: payload`).join(' ');
    const list = (aliases: string) => `{ campaigns(limit: 20) { action { ${aliases} } } }`;
    expect((await viewer.ask(list(names(7)))).errors).toEqual([]);
    expect(await refusalOf(list(names(15)))).toEqual(tooLong);
    const one = (at: number) => `a${at}: campaign(id: "${ids[at]}") { action { payload } }`;
    expect((await viewer.ask(`{ ${[0, 1, 2].map(one).join(' ')} }`)).errors).toEqual([]);
  });
});

describe('a device', () => {
  const report = aReport({ sessions: [aSession({ events: [anEvent({ id: 'a' }), anEvent({ id: 'b' })] })] });
  const { id } = report.device;
  const query = 'query D($app: UUID!, $id: String!) { device(applicationId: $app, id: $id) { FIELDS } }';
  const variables = () => ({ app: service.application.id, id });
  const refusal = (fields: string) => refusalOf(query.replace('FIELDS', fields), variables());
  const ask = (fields: string) => viewer.ask(query.replace('FIELDS', fields), variables());
  /** The statement takes a long text as `$2`. */
  const change = (statement: string, length: number) =>
    service.database.pool.query(statement, [deviceKey(service.application.id, id), 'x'.repeat(length)]);
  beforeAll(() => sendReport(service, report));

  test('its events are refused where their params are too long', async () => {
    const lengthen = (length: number) =>
      change("UPDATE events SET params = jsonb_build_object('p', $2::text) WHERE device_key = $1", length);
    await lengthen(8_000_000);
    expect((await ask('sessions { events { id params } }')).errors).toEqual([]);
    await lengthen(9_000_000);
    expect(await refusal('sessions { events { id params } }')).toEqual(tooLong);
  });

  test('params that are together beyond the room are measured, in bytes, and not sent', async () => {
    const { pool } = service.database;
    const key = deviceKey(service.application.id, 'measured');
    const events = [0, 1, 2, 3].map((at) => anEvent({ id: String(at), timestamp: 1_789_000_000 + at }));
    await sendReport(service, aReport({ device: aDevice('measured'), sessions: [aSession({ events })] }));
    const lengthen =
      "UPDATE events SET params = jsonb_build_object('p', $2::text) WHERE device_key = $1 AND NOT system";
    await pool.query(lengthen, [key, 'é'.repeat(1_000)]);
    const sessions = await findSessions(pool, { key, limit: 1 });
    const find = (bytes: number) =>
      findEvents(pool, { deviceKey: key, sessions, page: { limit: 10, offset: 0 }, limit: 10, bytes });
    const sent = async (bytes: number) =>
      (await find(bytes)).filter(({ params }) => (params.text as string | null) !== null).length;
    const [one, other, ...others] = (await find(0)).map(({ bytes }) => bytes) as [number, number, ...number[]];
    expect([one > 2_000, others.length]).toEqual([true, 2]);
    expect([await sent(one - 1), await sent(one), await sent(one + other)]).toEqual([0, 1, 2]);
  });

  test('so are the properties of its user', async () => {
    const lengthen = (length: number) =>
      change("UPDATE devices SET user_properties = jsonb_build_object('p', $2::text) WHERE key = $1", length);
    await lengthen(17_000_000);
    expect(await refusal('userProperties')).toEqual(tooLong);
    await lengthen(16_000_000);
    expect((await ask('userProperties')).errors).toEqual([]);
    await lengthen(10);
  });

  test('and its attribution', async () => {
    for (const provider of ['provider_a', 'provider_b']) {
      const attribution = { [provider]: { a: 1 } };
      const body = { device: { id }, system: { os_version: '1' }, attribution };
      const sent = await service.client.send(
        'reportAttribution',
        { 'X-Api-Key': service.application.key.public },
        body,
      );
      expect(sent.status).toBe(200);
      await change(
        `UPDATE attribution_reports SET ${provider} = json_build_object('p', $2::text)
          WHERE device_key = $1 AND ${provider} IS NOT NULL`,
        8_500_000,
      );
      if (provider === 'provider_a') expect((await ask('attribution { payload }')).errors).toEqual([]);
    }
    expect(await refusal('attribution { payload }')).toEqual(tooLong);
  });
});

test('the lists of applications and of the audit log count too', async () => {
  const owner = await newUser(service, await organizationOf(service, service.application.id), 'owner');
  const { pool } = service.database;
  await pool.query(
    `INSERT INTO applications (id, project_id, name, bundle_id, platform, image)
      SELECT gen_random_uuid(), project_id, 'A', 'com.a', 'iOS', repeat('x', 2048)
      FROM applications, generate_series(1, 6000) WHERE applications.id = $1`,
    [service.application.id],
  );
  const codes = async (query: string) => (await owner.ask(query)).codes;
  expect(await codes('{ applications { id } }')).toEqual([]);
  expect(await codes('{ applications { id } again: applications { id } }')).toEqual(['BAD_USER_INPUT']);
});
