// Neither the log nor the traces contain anything from a request, also when the database fails.
import { createLog } from '../../src/platform/observability/log.ts';
import { createTracing } from '../../src/platform/observability/tracing/sdkTracing.ts';
import type { Tracing } from '../../src/platform/observability/tracing/tracing.ts';
import { canary } from '../support/canaries.ts';
import { closeTracing, type Collector, startCollector } from '../support/collector.ts';
import { eventually } from '../support/eventually.ts';
import {
  askAll,
  expectNothingIn,
  expectNothingLogged,
  type LogTest,
  noObjects,
  ownObjects,
  post,
  rememberMails,
  sendAll,
  startLogTest,
} from '../support/logSecrets.ts';
import { administer } from '../support/testPostgres.ts';
import { json, signedHeaders } from '../support/uploads.ts';

// The log at level trace contains nothing from a request and no secret from a response: tried with canaries in every field, header and path.
describe('logSecrets', () => {
  let tried: LogTest;
  beforeAll(async () => {
    tried = await startLogTest();
  });
  afterAll(() => tried.stop());

  const word = (place: string) => canary(tried.canaries, place);
  const bearer = () => ({ Authorization: `Bearer ${tried.owner.token}` });

  describe('the admin API', () => {
    test('operations that succeed', async () => {
      const responses = await askAll(tried, () => ownObjects(tried), bearer);
      const refused = [...responses].filter(([, text]) => text.includes('"errors"')).map(([name]) => name);
      // These need an existing password or token, and a canary is none.
      const needTheirs = [
        'login',
        'refreshToken',
        'updatePassword',
        'passwordChange',
        'emailChange',
        'emailConfirm',
        'invitationAccept',
        'accountDelete',
      ];
      // The last owner cannot leave.
      const expected = [...needTheirs, 'organizationLeave'];
      expect(refused.filter((name) => !expected.includes(name))).toEqual([]);
      // The mails of the invitation and of the sign-up; the address of resetPassword belongs to no user.
      await eventually(
        () => rememberMails(tried),
        (count) => count === 2,
      );
      expectNothingLogged(tried);
    });

    test('a login with its tokens, and their exchange', async () => {
      const email = `${word('signup.email')}@example.com`;
      const password = word('signup.password');
      const input = { email, password, organization: 'Acme', name: 'Ann' };
      const signup = 'mutation S($input: RegistrationUserInput!) { signup(input: $input) { token } }';
      await post(tried, JSON.stringify({ query: signup, variables: { input } }), {});
      const login = 'mutation L($input: LoginInput!) { login(input: $input) { token refreshToken } }';
      const { text } = await post(
        tried,
        JSON.stringify({ query: login, variables: { input: { email, password } } }),
        {},
      );
      const token = /"refreshToken":"([^"]+)"/.exec(text)![1];
      const refresh = 'mutation R($token: String!) { refreshToken(token: $token) { token refreshToken } }';
      const before = tried.served.size;
      await post(tried, JSON.stringify({ query: refresh, variables: { token } }), {});
      // An access token issued in the same second may be equal.
      expect(tried.served.size).toBeGreaterThan(before);
      expectNothingLogged(tried);
    });

    test.each<[string, () => Record<string, string>]>([
      ['objects that do not exist', bearer],
      ['no bearer', () => ({})],
      ['a bearer of its own', () => ({ Authorization: `Bearer ${word('authorization')}` })],
      ['a header of another form', () => ({ Authorization: word('authorization') })],
    ])('refusals: %s', async (_, headers) => {
      await askAll(tried, () => Promise.resolve(noObjects), headers);
      expectNothingLogged(tried);
    });

    test('refusals before execution: literals, wrong types, broken documents, broken bodies, strange headers', async () => {
      const bodies = [
        { query: `mutation { login(input: { email: "a@b", password: "${word('literal')}" }) { token } }` },
        { query: `mutation { login(input: { email: "a@b", password: ${word('bare word')} }) { token } }` },
        { query: `mutation { ${word('field')}(password: "${word('argument')}") { token } }` },
        { query: `{ me { name } "${word('syntax error')}` },
        { query: '{ id }', operationName: word('operationName') },
        {
          query: 'mutation L($input: LoginInput!) { login(input: $input) { token } }',
          variables: { input: { email: 1, password: [word('wrong type')], [word('unknown field')]: 1 } },
        },
      ];
      const texts = [
        ...bodies.map((body) => JSON.stringify(body)),
        `{"query": "${word('broken JSON')}`,
        word('no JSON'),
      ];
      for (const text of texts) expect((await post(tried, text, bearer())).status).toBeLessThan(500);
      const strange = { 'Content-Type': `text/${word('type')}`, Cookie: word('cookie'), 'User-Agent': word('agent') };
      await post(tried, '{}', { ...strange, Origin: `https://${word('origin')}.example` });
      expectNothingLogged(tried);
    });
  });

  describe('the public API', () => {
    test('requests that are accepted, and their jobs', async () => {
      // No canary is a notification that verifies.
      expect(new Set(await sendAll(tried))).toEqual(new Set([200, 422]));
      await eventually(
        () => tried.service.database.prisma.storeTransaction.count({ where: { reason: 'no_credentials' } }),
        (count) => count > 0,
      );
      expectNothingLogged(tried);
    });

    test('refusals: keys, signatures and queries of nobody, and bodies that are wrong', async () => {
      expect(new Set(await sendAll(tried, { strange: true }))).toEqual(new Set([404]));
      await sendAll(tried, { spoil: (body) => ({ ...body, device: word('device'), sessions: null }) });
      await sendAll(tried, { spoil: (body) => JSON.stringify(body) });
      const { key } = tried.service.application;
      const forged = signedHeaders({ ...key, secret: word('forged secret') }, json({}));
      const headers = { ...forged, 'Content-Type': `text/${word('type')}` };
      for (const each of [forged, headers, { ...forged, 'X-Signature': word('X-Signature') }]) {
        await fetch(`${tried.service.url}/api/v1/session`, { method: 'POST', headers: each, body: '{}' });
      }
      expectNothingLogged(tried);
    });
  });

  test('every text of both contracts had its canary', () => {
    const places = new Set(tried.canaries.values());
    expect([...places]).toEqual(
      expect.arrayContaining([
        ...[
          'login.input.password',
          'signup.input.password',
          'updatePassword.input.newPasswordRepeat',
          'refreshToken.token',
        ],
        ...['reportSessions.sessions.events.params.value', 'reportAttribution.custom.*', 'getCampaigns X-Api-Key'],
      ]),
    );
    expect(tried.canaries.size).toBeGreaterThan(300);
  });

  test('a canary would be found', () => {
    const value = word('found');
    tried.captured.log.trace({ deep: { deeper: { deepest: value } } }, 'for this test');
    expect(() => expectNothingLogged(tried)).toThrow('found');
  });
});

// The log at level trace when the database fails in the middle of every operation: it contains the errors and none of the data.
describe('logSecrets: failures', () => {
  let tried: LogTest;
  beforeEach(async () => {
    tried = await startLogTest();
  });
  afterEach(() => tried.stop());

  const bearer = () => ({ Authorization: `Bearer ${tried.owner.token}` });
  const failed = (responses: Map<string, string>) =>
    [...responses.values()].filter((text) => text.includes('INTERNAL_SERVER_ERROR')).length;

  /** ADD makes every table of the service refuse every row, with an error whose `detail` quotes the row. DROP undoes it. */
  async function breakTables(
    how: 'ADD CONSTRAINT broken CHECK (false) NOT VALID' | 'DROP CONSTRAINT broken',
  ): Promise<void> {
    await tried.service.database.pool.query(`DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
      AND NOT relispartition AND relname NOT IN ('_prisma_migrations', 'attempts', 'job_workers')
    LOOP EXECUTE format('ALTER TABLE %I ${how}', name); END LOOP; END $$`);
  }

  test('a database that refuses every row, and quotes it', async () => {
    const fixed = await ownObjects(tried);
    await breakTables('ADD CONSTRAINT broken CHECK (false) NOT VALID');
    const responses = await askAll(tried, () => Promise.resolve(fixed), bearer);
    expect(failed(responses)).toBeGreaterThan(5);
    expect(await sendAll(tried)).toEqual(expect.arrayContaining([500]));
    await breakTables('DROP CONSTRAINT broken');
    expect(tried.captured.text()).toContain('admin operation failed');
    expect(tried.captured.text()).toContain('a request failed');
    expectNothingLogged(tried);
  });

  test('a database that is away', async () => {
    const name = new URL(tried.service.database.url).pathname.slice(1);
    await administer(process.env['TEST_SERVER_URL']!, [
      `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    ]);
    const responses = await askAll(tried, () => Promise.resolve(noObjects), bearer);
    expect(failed(responses)).toBeGreaterThan(10);
    for (const status of await sendAll(tried)) expect(status).toBeGreaterThanOrEqual(500);
    await administer(process.env['TEST_SERVER_URL']!, [`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`]);
    expectNothingLogged(tried);
  });
});

// Traces contain nothing from a request and no secret from a response: tried with canaries in every field, header and path.
describe('traceSecrets', () => {
  let collector: Collector;
  let tracing: Tracing;
  let tried: LogTest;
  beforeAll(async () => {
    collector = await startCollector();
    tracing = createTracing(collector.settings(), createLog('silent'));
    tried = await startLogTest(tracing);
  });
  afterAll(async () => {
    await tried.stop();
    await collector.stop();
  });

  /** Mails that are not written yet. */
  const waiting = async ({ service: { database } }: LogTest) =>
    (await database.pool.query("SELECT FROM graphile_worker.jobs WHERE task_identifier = 'sendPasswordMail'")).rowCount;

  test('every operation of both contracts, accepted and refused', async () => {
    const bearer = () => ({ Authorization: `Bearer ${tried.owner.token}` });
    await askAll(tried, () => ownObjects(tried), bearer);
    await askAll(tried, () => Promise.resolve(noObjects), bearer);
    await askAll(
      tried,
      () => Promise.resolve(noObjects),
      () => ({}),
    );
    await sendAll(tried);
    await sendAll(tried, { strange: true });
    await sendAll(tried, { spoil: (body) => ({ ...body, device: canary(tried.canaries, 'device'), sessions: null }) });
    const word = canary(tried.canaries, 'a document');
    for (const query of [`query ${word} { me { name } }`, `{ ${word} }`, `{ me { name } "${word}`])
      await post(tried, JSON.stringify({ query, operationName: word }), bearer());
    await eventually(
      () => waiting(tried),
      (count) => count === 0,
    );
    await closeTracing(tracing);
    const names = new Set(collector.spans().map(({ name }) => name));
    expect([...names]).toEqual(
      expect.arrayContaining([
        ...['POST /admin/graphql/', 'POST /api/v1/session', 'GET /api/v1/campaigns', 'store batch'],
        ...['job sendPasswordMail', 'BEGIN', 'sessions: findDevices'].slice(0, 2),
      ]),
    );
    expect(collector.spans().length).toBeGreaterThan(500);
    expectNothingIn(collector.text(), tried);
  }, 300_000);
});
