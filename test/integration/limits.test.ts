// The limits of the admin API: on an operation, and on its response.
import { getIntrospectionQuery } from 'graphql';
import { deviceKey } from '../../src/devices/deviceKey.ts';
import { findEvents, findSessions } from '../../src/sessions/read/deviceSessions.ts';
import { askAdmin } from '../support/adminClient.ts';
import { startOpsService } from '../support/opsService.ts';
import { productionEnv } from '../support/productionEnv.ts';
import { sendReport } from '../support/reportSessions.ts';
import { storeLine } from '../support/storedLines.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, organizationOf, type TestUser } from '../support/testUsers.ts';
import { aDevice, anEvent, aReport, aSession } from '../support/uploads.ts';

// The limits on an operation (schema.graphql, "Limits").
describe('limits', () => {
  let service: TestService;
  let user: TestUser;
  beforeAll(async () => {
    service = await startTestService();
    user = await newUser(service, await newOrganization(service));
  });
  afterAll(() => service.stop());

  const ask = (query: string) => askAdmin(service.url, { query });
  const refused = async (query: string) => {
    const { status, codes } = await ask(query);
    return status === 400 && codes.every((code) => code === 'GRAPHQL_VALIDATION_FAILED');
  };
  const login = (email: string) => `login(input: { email: "${email}", password: "x" }) { token }`;
  /** `{ organization { projects { applications { project { … { id } } } } } }`, with that many levels. */
  const deep = (levels: number) => {
    const inner = Array.from({ length: levels - 3 }, (_, index) => (index % 2 ? 'project' : 'applications'));
    return ['organization', 'projects', ...inner].reduceRight((below, field) => `${field} { ${below} }`, 'id');
  };

  test('an operation is at most 10 levels deep, fragments included', async () => {
    expect((await user.ask(`{ ${deep(10)} }`)).status).toBe(200);
    expect(await refused(`{ ${deep(11)} }`)).toBe(true);
    expect(await refused(`{ ${deep(11).replace(/\bid\b/, '__typename')} }`)).toBe(true);
    expect(
      await refused(`{ ...A } fragment A on Query { organization { projects { ...B } } }
      fragment B on Project { applications { project { applications { project { applications { ...C } } } } } }
      fragment C on Application { project { applications { project { id } } } }`),
    ).toBe(true);
  });

  test('an operation has at most 2,000 tokens', async () => {
    // Three tokens per level, and three for the innermost level.
    const nested = (levels: number) => `${'{ ... '.repeat(levels)}{ id }${' }'.repeat(levels)}`;
    expect((await ask(`query Q ${nested(665)}`)).data).toEqual({ id: null });
    const { status, codes } = await ask(nested(666));
    expect([status, codes]).toEqual([400, ['GRAPHQL_PARSE_FAILED']]);
  });

  test('introspection is not counted', async () => {
    expect((await ask(getIntrospectionQuery())).status).toBe(200);
  });

  test('an operation has at most 15 aliases, those of a fragment at each spread', async () => {
    const aliases = (count: number) => Array.from({ length: count }, (_, index) => `a${index}: id`).join(' ');
    expect((await ask(`{ ${aliases(15)} }`)).status).toBe(200);
    expect(await refused(`{ ${aliases(16)} }`)).toBe(true);
    expect(await refused(`{ ...A ...A } fragment A on Query { ${aliases(8)} }`)).toBe(true);
  });

  test('production has no introspection, and names neither its software nor fields that nobody asked for', async () => {
    const production = await startOpsService(productionEnv);
    try {
      for (const query of ['{ __schema { types { name } } }', '{ __type(name: "User") { name } }']) {
        const { status, codes, text } = await askAdmin(production.publicUrl, { query });
        expect([status, new Set(codes)]).toEqual([400, new Set(['GRAPHQL_VALIDATION_FAILED'])]);
        expect(text).not.toMatch(/apollo/i);
      }
      expect((await askAdmin(production.publicUrl, { query: '{ __typename }' })).status).toBe(200);
      const { status, text } = await askAdmin(production.publicUrl, { query: '{ ids }' });
      expect([status, text.includes('Did you mean')]).toEqual([400, false]);
    } finally {
      await production.stop();
    }
  });

  test('the aliases of introspection count too', async () => {
    const aliases = Array.from({ length: 16 }, (_, index) => `a${index}: queryType { name }`).join(' ');
    expect(await refused(`{ __schema { ${aliases} } }`)).toBe(true);
  });

  test('one field may be repeated in 1,000 pairs, its fields below among them, and two fragments are two pairs', async () => {
    const messages = async (query: string) => (await ask(query)).errors.map(({ message }) => message);
    const repeated = (field: string, times: number) => `{ ${`${field} `.repeat(times)} }`;
    const spread = (count: number) => {
      const names = Array.from({ length: count }, (_, index) => `F${index}`);
      const fragments = names.map((name, index) => `fragment ${name} on Query { a${index % 15}: id }`);
      return `{ ${names.map((name) => `...${name}`).join(' ')} } ${fragments.join(' ')}`;
    };
    const tooMany = ['The document repeats fields or fragments: more than 1000 pairs.'];
    expect((await ask(repeated('id', 45))).data).toEqual({ id: null });
    expect(await messages(repeated('id', 46))).toEqual(tooMany);
    expect((await user.ask(repeated('me { email name }', 26))).errors).toEqual([]);
    expect(await messages(repeated('me { email name }', 27))).toEqual(tooMany);
    expect(await messages(repeated('countries { code }', 435))).toEqual(tooMany);
    expect((await ask(spread(15))).status).toBe(200);
    expect(await messages(spread(33))).toEqual(['The operation has more than 15 aliases.']);
  });

  test('a document has at most 1,000 selections with its fragments expanded', async () => {
    const fragment = `fragment F on Country { ${Array.from({ length: 15 }, () => 'code').join(' ')} }`;
    const spreads = (count: number) => `{ countries { ${'... { code } '.repeat(count)} } }`;
    expect((await ask(`{ countries { ...F } } ${fragment}`)).status).toBe(200);
    expect((await ask(spreads(45))).status).toBe(200);
    const names = Array.from({ length: 9 }, (_, at) => `fragment F${at} on Query { ...F${at + 1} ...F${at + 1} }`);
    const { errors } = await ask(`{ ...F0 } ${names.join(' ')} fragment F9 on Query { id }`);
    expect(errors.map(({ message }) => message)).toEqual([
      'The document has more than 1000 selections, its fragments expanded.',
    ]);
  });

  test('a document has at most 50 operations, 100 variables and 2,000 lines', async () => {
    const operations = (count: number) => Array.from({ length: count }, (_, at) => `query Q${at} { id }`).join(' ');
    const first = (query: string) => askAdmin(service.url, { query, operationName: 'Q0' });
    expect((await first(operations(50))).data).toEqual({ id: null });
    expect((await first(operations(51))).status).toBe(400);
    const variables = (count: number) => Array.from({ length: count }, (_, at) => `$v${at}: Int`).join(' ');
    expect((await ask(`query Q(${variables(100)}) { id }`)).errors[0]!.message).toContain('is never used');
    expect((await ask(`query Q(${variables(101)}) { id }`)).errors[0]!.message).toContain('100 variables');
    expect((await ask(`{ id ${'#\n'.repeat(1_999)} }`)).status).toBe(200);
    expect((await ask(`{ id ${'#\r\n'.repeat(2_000)} }`)).status).toBe(400);
  });

  test('so many wrong values in the variables that counting them ends are still not a failure of the service', async () => {
    const query = 'mutation ($i: LoginInput!) { login(input: $i) { token } }';
    const i = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`k${index}`, 1]));
    const { status, codes } = await askAdmin(service.url, { query, variables: { i } });
    expect(status).toBe(400);
    expect(codes).toEqual(Array.from({ length: 20 }, () => 'BAD_USER_INPUT'));
  });

  test('lists below lists end at 20,000 objects, with at most 100 errors', async () => {
    const organizationId = await newOrganization(service);
    const many = await newUser(service, organizationId);
    const { prisma } = service.database;
    const { id: projectId } = await prisma.project.create({ data: { organizationId, name: 'P' } });
    const application = { projectId, name: 'A', bundleId: 'com.a', platform: 'iOS' as const };
    await prisma.application.createMany({ data: Array.from({ length: 30 }, () => application) });
    const nested = (levels: number) =>
      `{ projects { ${'applications { project { '.repeat(levels)} id ${'} }'.repeat(levels)} } }`;
    expect((await many.ask(nested(2))).errors).toEqual([]);
    const { status, errors, codes } = await many.ask(nested(4));
    expect([status, errors.length, new Set(codes)]).toEqual([200, 100, new Set(['BAD_USER_INPUT'])]);
    expect(errors[0]!.extensions['fields']).toEqual([
      { path: '', message: expect.stringContaining('20000') as string },
    ]);
  });

  test('the sessions, events and transactions of a device count too', async () => {
    const { database, application } = service;
    const viewer = await newUser(service, await organizationOf(service, application.id), 'viewer');
    const report = aReport();
    await sendReport(service, report);
    const [id, key] = [report.device.id, deviceKey(application.id, report.device.id)];
    await database.pool.query(
      `INSERT INTO store_transactions (id, application_id, state) SELECT 't' || n, $1, 'RESOLVED' FROM generate_series(1, 19997) n`,
      [application.id],
    );
    await database.pool.query(
      `INSERT INTO store_transaction_devices (transaction_id, application_id, device_key, device_id)
      SELECT 't' || n, $1, $2, $3 FROM generate_series(1, 19997) n`,
      [application.id, key, id],
    );
    const query = 'query D($app: UUID!, $id: String!) { device(applicationId: $app, id: $id) { FIELDS } }';
    const ask = (fields: string) => viewer.ask(query.replace('FIELDS', fields), { app: application.id, id });
    const all = 'transactions(limit: 20000) { id }';
    // The device, and one session with one event.
    expect((await ask(`${all} sessions { id events { id } }`)).errors).toEqual([]);
    expect((await ask(`${all} sessions { id events { id } } again: sessions { id }`)).codes).toEqual([
      'BAD_USER_INPUT',
    ]);
    expect((await ask(`${all} again: ${all}`)).codes).toEqual(['BAD_USER_INPUT']);
    expect((await ask('transactions { id } again: transactions { id }')).errors).toEqual([]);
  });

  test('a body is UTF-8: neither another charset nor broken bytes are read', async () => {
    const send = async (body: Buffer, type?: string) => {
      const response = await fetch(`${service.url}/admin/graphql/`, {
        method: 'POST',
        headers: type === undefined ? {} : { 'Content-Type': type },
        body: new Uint8Array(body),
      });
      return response.status;
    };
    const text = '{"query":"{ id }"}';
    expect(await send(Buffer.from(text), 'application/json; charset="UTF-8"')).toBe(200);
    expect(await send(Buffer.from(text))).toBe(415);
    expect(await send(Buffer.from(text, 'utf16le'), 'application/json; charset=utf-16le')).toBe(415);
    // The damaged byte is in a comment, where a decoder's replacement character would pass.
    expect(await send(Buffer.from(text.replace('id', 'id #\xff\\n'), 'latin1'), 'application/json')).toBe(400);
    expect(await send(Buffer.from(text.replace('id', 'id #ÿ\\n')), 'application/json')).toBe(200);
  });

  test('a change whose response the client would not take is refused before it is made', async () => {
    const owner = await newUser(service, user.organizationId, 'owner');
    const rename = async (name: string, accept: string) => {
      const response = await fetch(`${service.url}/admin/graphql/`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${owner.token}`, Accept: accept },
        body: JSON.stringify({ query: `mutation { organizationEdit(input: { name: "${name}" }) { name } }` }),
      });
      const { name: stored } = await service.database.prisma.organization.findUniqueOrThrow({
        where: { id: user.organizationId },
      });
      return [response.status, stored === name];
    };
    expect(await rename('One', 'text/html')).toEqual([406, false]);
    expect(await rename('Two', 'text/html, application/graphql-response+json')).toEqual([200, true]);
    expect(await rename('Three', '*/*')).toEqual([200, true]);
  });

  test('a null for an argument that has to be there is named', async () => {
    const query = 'mutation M($t: String = "x") { refreshToken(token: $t) { token } }';
    const { status, errors } = await askAdmin(service.url, { query, variables: { t: null } });
    expect([status, errors[0]!.extensions]).toEqual([
      200,
      { code: 'BAD_USER_INPUT', fields: [{ path: 'token', message: 'is not a value of its type' }] },
    ]);
  });

  test('a subscription is refused before it runs', async () => {
    for (const query of ['subscription { id }', 'subscription { __typename }']) expect(await refused(query)).toBe(true);
  });

  test('fragments that double one another are refused at once', async () => {
    const chain = Array.from(
      { length: 60 },
      (_, at) => `fragment F${at} on Query { a${at}: id ...F${at + 1} ...F${at + 1} }`,
    );
    // Whoever followed the 2^60 spreads would never respond.
    expect(await refused(`{ ...F0 } ${chain.join(' ')} fragment F60 on Query { id }`)).toBe(true);
    expect(await refused('{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }')).toBe(true);
  });

  test('one authentication mutation per operation', async () => {
    expect(await refused(`mutation { ${login('a@x')} b: ${login('b@x')} }`)).toBe(true);
    expect(await refused(`mutation { ${login('a@x')} resetPassword(input: { email: "a@x" }) }`)).toBe(true);
    expect(
      await refused(`mutation { ...A } fragment A on Mutation { a: ${login('a@x')} ... { b: ${login('b@x')} } }`),
    ).toBe(true);
  });

  test.each([
    ['signup', 'signup(input: { email: "a@x", password: "x", organization: "x", name: "x" }) { token }'],
    ['refreshToken', 'refreshToken(token: "none") { token }'],
    ['resetPassword', 'resetPassword(input: { email: "a@x" })'],
    ['emailConfirm', 'emailConfirm(token: "none")'],
    ['updatePassword', 'updatePassword(input: { token: "none", newPassword: "x", newPasswordRepeat: "x" })'],
  ])('%s is such a mutation', async (_, field) => {
    expect(await refused(`mutation { ${field} b: ${field} }`)).toBe(true);
    expect((await ask(`mutation { ${field} }`)).status).toBe(200);
  });
});

// The length of a response of the admin API (schema.graphql, "Limits"): a response over the limit is refused before it fills the memory.
describe('limits: response bytes', () => {
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
});
