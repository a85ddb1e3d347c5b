// Every mutation of schema.graphql: a change writes its line, a change that cannot be recorded is not made, and a mutation without effect writes none.
import { randomUUID } from 'node:crypto';
import type { MutationResolvers } from '../../generated/graphql.ts';
import { unrecorded } from '../../src/audit/audit.ts';
import { resolvers } from '../../src/graphql/resolvers.ts';
import { askAdmin, type AdminResponse } from '../support/adminClient.ts';
import { auditLines, lastLine, type AuditLine } from '../support/auditLines.ts';
import { storeCampaign } from '../support/campaigns.ts';
import { newAccount } from '../support/fakeStore.ts';
import { newEmailToken, newPasswordToken } from '../support/mail.ts';
import { membershipCases, withPassword, type Case, type Stage } from '../support/membershipCases.ts';
import { serverCases } from '../support/serverCases.ts';
import { tableDigests } from '../support/tableDigests.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf } from '../support/testUsers.ts';

type Mutation = keyof MutationResolvers;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

async function newStage(): Promise<Stage> {
  const application = await service.newApplication();
  const owner = await newUser(service, await organizationOf(service, application.id), 'owner');
  const { projectId } = await service.database.prisma.application.findUniqueOrThrow({ where: { id: application.id } });
  return { owner, application, project: projectId };
}

/** A new mutation without a case fails the compiler. Null: the mutation's author has to fill in the case. */
const cases: Record<Mutation, ((stage: Stage) => Case | Promise<Case>) | null> = {
  ...membershipCases(() => service),
  ...serverCases(() => service),
  apiKeyCreate: ({ application: { id } }) => ({
    field: `apiKeyCreate(applicationId: "${id}") { public }`,
    idle: `apiKeyCreate(applicationId: "${randomUUID()}") { public }`,
  }),
  apiKeyEdit: ({ application: { key } }) => ({
    field: `apiKeyEdit(input: { public: "${key.public}", label: "Release" }) { label }`,
    idle: `apiKeyEdit(input: { public: "${key.public}", label: "Release" }) { label }`,
  }),
  apiKeyRevoke: ({ application: { key } }) => ({
    field: `apiKeyRevoke(public: "${key.public}")`,
    idle: `apiKeyRevoke(public: "${key.public}")`,
  }),
  applicationDelete: ({ application: { id } }) => ({
    field: `applicationDelete(id: "${id}")`,
    idle: `applicationDelete(id: "${id}")`,
  }),
  applicationEdit: ({ application: { id } }) => ({
    field: `applicationEdit(input: { id: "${id}", name: "Another" }) { id }`,
    idle: `applicationEdit(input: { id: "${id}", name: "Another" }) { id }`,
  }),
  async campaignChangeState({ application }) {
    const { id } = await storeCampaign({ database: service.database, application }, { state: 'DRAFT' });
    const field = `campaignChangeState(id: "${id}", state: ACTIVE) { id }`;
    return { field, idle: field };
  },
  async campaignEdit({ application }) {
    const { id } = await storeCampaign({ database: service.database, application });
    return {
      field: `campaignEdit(input: { id: "${id}", name: "Another" }) { id }`,
      idle: `campaignEdit(input: { id: "${id}", name: "A third", expectedVersion: 1 }) { id }`,
    };
  },
  async emailChange(stage) {
    const password = await withPassword(service, stage);
    const to = (words: string) =>
      `emailChange(input: { newEmail: "${randomUUID()}@example.com", password: "${words}" })`;
    return { field: to(password), idle: to('another phrase') };
  },
  async emailConfirm({ owner }) {
    const field = `emailConfirm(token: "${await newEmailToken(service, owner, `${randomUUID()}@example.com`)}")`;
    return { field, token: null, idle: field };
  },
  async login(stage) {
    const password = await withPassword(service, stage);
    const field = `login(input: { email: "${stage.owner.email}", password: "${password}" }) { user { name } }`;
    return { field, token: null, idle: field };
  },
  logout: () => ({ field: 'logout', idle: 'logout' }),
  logoutEverywhere: () => ({ field: 'logoutEverywhere', idle: 'logoutEverywhere' }),
  organizationEdit: () => ({
    field: 'organizationEdit(input: { name: "Another" }) { id }',
    idle: 'organizationEdit(input: { name: "Another" }) { id }',
  }),
  async passwordChange(stage) {
    const current = await withPassword(service, stage);
    const input = `{ currentPassword: "${current}", newPassword: "a new phrase", newPasswordRepeat: "a new phrase" }`;
    const field = `passwordChange(input: ${input})`;
    return { field, idle: field };
  },
  projectDelete: ({ project }) => ({
    field: `projectDelete(id: "${project}")`,
    idle: `projectDelete(id: "${project}")`,
  }),
  projectEdit: ({ project }) => ({
    field: `projectEdit(input: { id: "${project}", name: "Another" }) { id }`,
    idle: `projectEdit(input: { id: "${project}", name: "Another" }) { id }`,
  }),
  async refreshToken(stage) {
    const password = await withPassword(service, stage);
    const query = `mutation { login(input: { email: "${stage.owner.email}", password: "${password}" }) { refreshToken } }`;
    const { data } = await askAdmin(service.url, { query });
    const { refreshToken } = data!['login'] as { refreshToken: string };
    const field = `refreshToken(token: "${refreshToken}") { user { name } }`;
    return { field, token: null, idle: field };
  },
  resetPassword: ({ owner }) => ({
    field: `resetPassword(input: { email: "${owner.email}" })`,
    token: null,
    idle: `resetPassword(input: { email: "nobody@example.com" })`,
  }),
  async sessionRevoke({ owner }) {
    const expiresAt = new Date(Date.now() + 3_600_000);
    const { id } = await service.database.prisma.loginSession.create({
      data: { userId: owner.id, organizationId: owner.organizationId, expiresAt },
    });
    return { field: `sessionRevoke(id: "${id}")`, idle: `sessionRevoke(id: "${id}")` };
  },
  signup: () => {
    const input = `{ email: "${randomUUID()}@example.com", password: "a fine phrase", organization: "Acme", name: "Ann" }`;
    const field = `signup(input: ${input}) { user { email } organization { id } }`;
    return { field, token: null, idle: field };
  },
  productEdit: ({ application: { id } }) => ({
    field: `productEdit(input: { applicationId: "${id}", productId: "pass", durationDays: 30 }) { productId }`,
    idle: `productEdit(input: { applicationId: "${id}", productId: "pass", durationDays: 30 }) { productId }`,
  }),
  storeCredentialsEdit: ({ application: { id } }) => {
    const { issuerId, keyId, privateKey } = newAccount();
    return {
      field: 'storeCredentialsEdit(input: $input)',
      variables: { input: { applicationId: id, issuerId, keyId, privateKey } },
      idle: `storeCredentialsEdit(input: { applicationId: "${randomUUID()}" })`,
    };
  },
  async updatePassword({ owner }) {
    const token = await newPasswordToken(service, owner.email);
    const input = `{ token: "${token}", newPassword: "another fine phrase", newPasswordRepeat: "another fine phrase" }`;
    const field = `updatePassword(input: ${input})`;
    return { field, token: null, idle: field };
  },
  userEdit: ({ owner }) => ({
    field: `userEdit(input: { email: "${owner.email}", name: "Another" }) { name }`,
    idle: `userEdit(input: { email: "${owner.email}", name: "Another" }) { name }`,
  }),
  userInvite: () => ({
    field: `userInvite(input: { email: "${randomUUID()}@example.com", role: "viewer" }) { email }`,
    idle: 'userInvite(input: { email: "x", role: "viewer" }) { email }',
  }),
};

/** Tables without an organization's objects: attempts, logins and tokens, and the log itself. */
const besides = [
  'attempts',
  'audit_entries',
  'job_workers',
  'login_challenges',
  'login_sessions',
  'password_tokens',
  'refresh_tokens',
];
const written = Object.keys(resolvers.Mutation) as Mutation[];
const stored = () => tableDigests(service.database.pool, besides);

function ask({ owner }: Stage, { variables, token }: Case, field: string): Promise<AdminResponse> {
  const query = variables ? `mutation M($input: StoreCredentialsEditInput!) { ${field} }` : `mutation { ${field} }`;
  return askAdmin(service.url, {
    query,
    token: token === undefined ? owner.token : token,
    ...(variables && { variables }),
  });
}

/** All lines that the work wrote, in every organization. */
async function linesOf(work: () => Promise<unknown>): Promise<(AuditLine & { organizationId: string })[]> {
  const since = await lastLine(service);
  await work();
  const { prisma } = service.database;
  const rows = await prisma.auditEntry.findMany({ where: { id: { gt: since } }, distinct: ['organizationId'] });
  const lines = await Promise.all(
    rows.map(async ({ organizationId }) => {
      const own = await auditLines(service, organizationId, since);
      return own.map((line) => ({ ...line, organizationId }));
    }),
  );
  return lines.flat();
}

describe.each(written)('%s', (name) => {
  const makeCase = async (): Promise<{ stage: Stage; one: Case }> => {
    const stage = await newStage();
    const make = cases[name];
    if (!make) throw new Error(`${name} is written now: write its case, so that its line in the audit log is tested`);
    return { stage, one: await make(stage) };
  };
  const isRecorded = !(unrecorded as readonly string[]).includes(name);

  test(isRecorded ? 'writes one line for its change' : 'changes no object and writes no line', async () => {
    const { stage, one } = await makeCase();
    const before = await stored();
    let response: AdminResponse | undefined;
    const lines = await linesOf(async () => (response = await ask(stage, one, one.field)));
    expect(response!.errors).toEqual([]);
    expect([name, JSON.stringify(await stored()) !== JSON.stringify(before)]).toEqual([name, isRecorded]);
    expect(lines.map(({ action }) => action)).toEqual(isRecorded ? [name] : []);
    expect(lines.every(({ actor }) => name === 'signup' || actor === stage.owner.email)).toBe(true);
    if (!isRecorded || ['signup', 'organizationCreate', 'invitationAccept'].includes(name)) return;
    expect(lines[0]).toMatchObject({ organizationId: stage.owner.organizationId });
  });

  test('without effect it writes no line', async () => {
    const { stage, one } = await makeCase();
    await ask(stage, one, one.field);
    const before = await stored();
    expect(await linesOf(() => ask(stage, { ...one, variables: undefined }, one.idle))).toEqual([]);
    expect(await stored()).toEqual(before);
  });

  if (!isRecorded) return;
  test('is undone when its line cannot be written', async () => {
    const { stage, one } = await makeCase();
    const before = await stored();
    const { pool } = service.database;
    await pool.query('ALTER TABLE audit_entries ADD CONSTRAINT broken CHECK (false) NOT VALID');
    try {
      expect((await ask(stage, one, one.field)).codes).toEqual(['INTERNAL_SERVER_ERROR']);
    } finally {
      await pool.query('ALTER TABLE audit_entries DROP CONSTRAINT broken');
    }
    expect(await stored()).toEqual(before);
  });
});
