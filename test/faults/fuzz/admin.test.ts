// Fuzzes the admin API without sockets and database: every response to requests made from schema.graphql must follow it.
import { storeCampaign } from '../../support/campaigns.ts';
import { startTestService, type TestService } from '../../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../../support/testUsers.ts';
import { adminCases, type AdminCases } from './admin/adminCases.ts';
import { adminJudge, type AdminJudge, type AdminTarget } from './admin/judge.ts';
import { memoryAdmin } from './admin/memoryAdmin.ts';
import { readSdl } from './admin/sdl.ts';
import type { AdminCase } from './cases.ts';
import { overHttp, type RawResponse, type RawRequest } from './exchange.ts';
import { figures, timeoutMillis } from './figures.ts';
import { find, hold } from './hold.ts';

describe('inProcess', () => {
  const ids = ['0192f0c4-3333-7000-8000-000000000003'];
  let service: Awaited<ReturnType<typeof memoryAdmin>>;
  let cases: AdminCases;
  let judge: AdminJudge;
  beforeAll(async () => {
    service = await memoryAdmin();
    const sdl = readSdl();
    cases = adminCases(sdl.fields, ids);
    judge = adminJudge(sdl, service);
  });
  afterAll(() => service.stop());

  const runs = figures.adminInProcess;
  test.each(Object.entries(runs) as [keyof typeof runs, number][])(
    '%s: %d requests',
    async (name, runs) => hold<AdminCase>({ kind: 'admin', cases: cases[name], runs, judge }),
    timeoutMillis,
  );
});

// Fuzzes the admin API over HTTP with a real PostgreSQL: queries twice, mutations once, as nobody, as viewer and as owner of a scratch organization.
describe('overHttp', () => {
  const sdl = readSdl();
  const queries = sdl.fields.filter(({ root }) => root === 'query');
  const mutations = sdl.fields.filter(({ root }) => root === 'mutation');
  let service: TestService;
  let exchange: ReturnType<typeof overHttp>;
  let ids: string[];
  let users: Record<'viewer' | 'owner', TestUser>;
  beforeAll(async () => {
    service = await startTestService();
    exchange = overHttp(service.url);
    const organizationId = await organizationOf(service, service.application.id);
    const { project } = await service.database.prisma.application.findFirstOrThrow({ include: { project: true } });
    const campaigns = [await storeCampaign(service), await storeCampaign(service, { state: 'DRAFT' })];
    ids = [service.application.id, project.id, ...campaigns.map(({ id }) => id)];
    // A second owner: a mutation that locks out its own user then does not end the organization.
    await newUser(service, organizationId, 'owner');
    users = {
      viewer: await newUser(service, organizationId, 'viewer'),
      owner: await newUser(service, organizationId, 'owner'),
    };
  });
  afterAll(async () => {
    exchange.close();
    await service.stop();
  });

  const tokenOf: AdminTarget['tokenOf'] = async (as) => (as === 'nobody' ? null : users[as].token);

  /** Restores a user whom a mutation has locked out. */
  async function restored(as: AdminCase['as']): Promise<string | null> {
    if (as === 'nobody') return null;
    const { id, organizationId, sessionId, token } = users[as];
    const { prisma } = service.database;
    const back = { status: 'active', role: as, acceptedAt: new Date() } as const;
    await prisma.membership.upsert({
      where: { organizationId_userId: { organizationId, userId: id } },
      create: { userId: id, organizationId, ...back },
      update: back,
    });
    await prisma.loginSession.update({ where: { id: sessionId }, data: { revokedAt: null } });
    return token;
  }

  const { queries: asQueries, mutations: asMutations, requests } = figures.adminOverHttp;

  test.each(['valid', 'faults', 'texts'] as const)(
    `queries, %s: ${asQueries} requests in all`,
    async (name) => {
      const judge = adminJudge(sdl, { exchange, tokenOf, twice: true });
      await hold({ kind: 'admin', cases: adminCases(queries, ids)[name], runs: asQueries / 3, judge });
    },
    timeoutMillis,
  );

  test(
    `damaged requests: ${requests}`,
    async () => {
      const judge = adminJudge(sdl, { exchange, tokenOf, twice: true });
      await hold({ kind: 'admin', cases: adminCases(queries, ids).requests, runs: requests, judge });
    },
    timeoutMillis,
  );

  test.each(['valid', 'faults', 'texts'] as const)(
    `mutations, %s: ${asMutations} requests in all`,
    async (name) => {
      const judge = adminJudge(sdl, { exchange, tokenOf: restored, twice: false });
      await hold({ kind: 'admin', cases: adminCases(mutations, ids)[name], runs: asMutations / 3, judge });
    },
    timeoutMillis,
  );

  test('some of the mutations took effect', async () => {
    const lines = await service.database.prisma.auditEntry.findMany({ distinct: ['action'] });
    expect(lines.length).toBeGreaterThan(0);
  });
});

// Tests the fuzzer of the admin API: given responses that break schema.graphql in one place, it must find that place.
describe('canFail', () => {
  const sdl = readSdl();
  const ids = ['0192f0c4-3333-7000-8000-000000000003'];
  let service: Awaited<ReturnType<typeof memoryAdmin>>;
  beforeAll(async () => {
    service = await memoryAdmin();
  });
  afterAll(() => service.stop());

  type Break = (response: RawResponse, request: RawRequest) => RawResponse;

  async function findIn(breakage: Break, name: keyof AdminCases): Promise<string> {
    const exchange = async (request: RawRequest) => breakage(await service.exchange(request), request);
    const judge = adminJudge(sdl, { ...service, exchange });
    const found = await find({ cases: adminCases(sdl.fields, ids)[name], runs: 1_500, judge });
    return found ? `${found.request.change} ${found.why}` : 'nothing';
  }

  const replaced =
    (from: string, to: string): Break =>
    (response) => ({ ...response, text: response.text.replace(from, to) });
  const executed = (errors: object[]) => JSON.stringify({ data: null, errors });

  test.each<[string, Break, keyof AdminCases, RegExp]>([
    [
      'a fault told at another field',
      replaced('"path":"input.name"', '"path":"input.image"'),
      'texts',
      /a fault at input\.image/,
    ],
    [
      'a code that the field does not list',
      replaced('"BAD_USER_INPUT","fields"', '"CONFLICT","reason":"version","fields"'),
      'texts',
      /not listed/,
    ],
    [
      'a conflict that does not say why',
      replaced('"BAD_USER_INPUT","fields"', '"CONFLICT","fields"'),
      'texts',
      /a conflict without a reason/,
    ],
    [
      'a refusal by a type that names another argument',
      (response) => ({ ...response, text: response.text.replace(/"path":"input\b/, '"path":"other') }),
      'faults',
      /a fault at other/,
    ],
    [
      'a refusal by a type without its path',
      (response) => ({ ...response, text: response.text.replace(/,"fields":\[[^\]]*\]/, '') }),
      'faults',
      /a refusal without its path/,
    ],
    [
      'a code that the schema does not know',
      replaced('GRAPHQL_VALIDATION_FAILED', 'INVALID'),
      'requests',
      /not documented/,
    ],
    [
      'a status that is not of its code',
      (response) => ({ ...response, status: response.status === 401 ? 403 : response.status }),
      'valid',
      /not documented|no data/,
    ],
    ['a page of HTML', (response) => ({ ...response, headers: { 'content-type': 'text/html' } }), 'valid', /not JSON/],
    [
      'what should be refused and is executed',
      (response) => (response.text.includes('UUID') ? { ...response, status: 200, text: executed([]) } : response),
      'faults',
      /HTTP 200 instead of 400/,
    ],
    [
      'a failure',
      (response, { body }) =>
        body.includes('__proto__') ? { ...response, status: 500, text: executed([]) } : response,
      'texts',
      /a failure/,
    ],
  ])('%s', async (...[, breakage, name, found]) => {
    expect(await findIn(breakage, name)).toMatch(found);
  });
});
