// Fuzzes the admin API over HTTP with a real PostgreSQL: queries twice, mutations once, as nobody, as viewer and as owner of a scratch organization.
import { startTestService, type TestService } from '../../../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../../../support/testUsers.ts';
import { storeCampaign } from '../../../support/campaigns.ts';
import type { AdminCase } from '../cases.ts';
import { overHttp } from '../exchange.ts';
import { figures, timeoutMillis } from '../figures.ts';
import { hold } from '../hold.ts';
import { adminCases } from './adminCases.ts';
import { adminJudge, type AdminTarget } from './judge.ts';
import { readSdl } from './sdl.ts';

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
