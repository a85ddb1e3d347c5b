// Service tokens: how they are made, listed and revoked.
import { createHash, randomUUID } from 'node:crypto';
import { askAdmin } from '../support/adminClient.ts';
import { auditLines, lastLine } from '../support/auditLines.ts';
import { newServiceToken, storeServiceToken } from '../support/serviceTokens.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// mutation serviceTokenCreate: the token is shown once and stored hashed, acts under its name, and ends at its expiry.
describe('serviceTokenCreate', () => {
  let service: TestService;
  let admin: TestUser;
  let now: Date;
  beforeAll(async () => {
    now = new Date();
    service = await startTestService({ now: () => now });
    admin = await newUser(service, await organizationOf(service, service.application.id), 'admin');
  });
  afterAll(() => service.stop());

  const create = `mutation Create($input: ServiceTokenCreateInput!) {
  serviceTokenCreate(input: $input) { token serviceToken { id name role applicationIds createdBy expiresAt lastUsedAt } }
}`;
  const statusOf = async (token: string) =>
    (await askAdmin(service.url, { query: '{ campaignsCount }', token })).status;

  test('the token is shown once, and only its hash is stored', async () => {
    const input = { name: ' Shop server ', role: 'editor', applicationIds: [service.application.id] };
    const { data } = await admin.ask(create, { input });
    const { token, serviceToken } = data!['serviceTokenCreate'] as { token: string; serviceToken: { id: string } };
    expect(token).toMatch(/^svc_[\w-]{43}$/);
    const given = { ...input, name: 'Shop server', createdBy: admin.email, expiresAt: null, lastUsedAt: null };
    expect(serviceToken).toEqual({ id: serviceToken.id, ...given });
    const { rows } = await service.database.pool.query<{ row: string; hash: Buffer }>(
      'SELECT t::text AS row, hash FROM service_tokens t WHERE id = $1',
      [serviceToken.id],
    );
    expect(rows[0]!.row).not.toContain(token.slice(4));
    expect(rows[0]!.hash).toEqual(createHash('sha256').update(token).digest());
    const listed = await admin.ask('{ serviceTokens { id name } }');
    expect(listed.data!['serviceTokens']).toContainEqual({ id: serviceToken.id, name: 'Shop server' });
    expect(listed.text).not.toContain(token);
  });

  test.each([
    [{ name: ' ' }, 'input.name'],
    [{ role: 'owner' }, 'input.role'],
    [{ applicationIds: [] }, 'input.applicationIds'],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, 'input.expiresAt'],
  ])('%j is refused', async (wrong, path) => {
    const { errors } = await admin.ask(create, { input: { name: 'Server', role: 'viewer', ...wrong } });
    expect(errors).toMatchObject([{ extensions: { fields: [{ path }] } }]);
  });

  test.each([
    ['random', async () => randomUUID()],
    ["another organization's", async () => (await service.newApplication()).id],
  ])('an application that is %s is not found', async (_, id) => {
    const input = { name: 'Server', role: 'viewer', applicationIds: [service.application.id, await id()] };
    expect((await admin.ask(create, { input })).codes).toEqual(['NOT_FOUND']);
  });

  test('it stands in the audit log and at its objects by its name', async () => {
    const { token } = await newServiceToken(admin, { name: 'Importer', role: 'editor' });
    const since = await lastLine(service);
    const query = `mutation { campaignEdit(input: { applicationId: "${service.application.id}", name: "A" }) { createdBy updatedBy } }`;
    const { data } = await askAdmin(service.url, { query, token });
    const author = 'service token: Importer';
    expect(data).toEqual({ campaignEdit: { createdBy: author, updatedBy: author } });
    expect(await auditLines(service, admin.organizationId, since)).toMatchObject([{ actor: author }]);
    const found = await admin.ask('query A($actor: String) { auditLog(actor: $actor) { actor } }', { actor: author });
    expect(found.data).toEqual({ auditLog: [{ actor: author }] });
  });

  test('it ends at its expiry', async () => {
    const expiresAt = new Date(now.getTime() + 60_000);
    const { token } = await storeServiceToken(service, { organizationId: admin.organizationId, expiresAt });
    expect(await statusOf(token)).toBe(200);
    now = expiresAt;
    expect(await statusOf(token)).toBe(401);
  });

  test('its last use is accurate to a minute, and most requests write nothing', async () => {
    const { id, token } = await newServiceToken(admin);
    const lastUse = async () =>
      (await service.database.prisma.serviceToken.findUniqueOrThrow({ where: { id } })).lastUsedAt;
    const first = now;
    await statusOf(token);
    expect(await lastUse()).toEqual(first);
    now = new Date(first.getTime() + 59_000);
    await statusOf(token);
    expect(await lastUse()).toEqual(first);
    now = new Date(first.getTime() + 60_000);
    await statusOf(token);
    expect(await lastUse()).toEqual(now);
  });

  test('an unknown token is refused', async () => {
    expect(await statusOf(`svc_${'0'.repeat(43)}`)).toBe(401);
  });
});

// query serviceTokens: those that nobody has revoked, expired ones included, newest first.
describe('serviceTokens', () => {
  test('lists the own tokens, newest first, and never the token itself', async () => {
    const service = await shared.withNewApplication();
    const admin = await newUser(service, await organizationOf(service, service.application.id), 'admin');
    const { organizationId } = admin;
    const expiresAt = new Date('2020-01-01T00:00:00Z');
    const { token } = await storeServiceToken(service, { organizationId, name: 'Expired', expiresAt });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await storeServiceToken(service, { organizationId, name: 'New', role: 'editor' });
    const foreign = await organizationOf(service, (await service.newApplication()).id);
    await storeServiceToken(service, { organizationId: foreign, name: 'Foreign' });
    const { data, text } = await admin.ask(
      '{ serviceTokens { name role expiresAt applicationIds lastUsedAt createdBy } }',
    );
    const others = { applicationIds: null, lastUsedAt: null, createdBy: 'ann@example.com' };
    expect(data!['serviceTokens']).toEqual([
      { name: 'New', role: 'editor', expiresAt: null, ...others },
      { name: 'Expired', role: 'viewer', expiresAt: '2020-01-01T00:00:00.000Z', ...others },
    ]);
    expect(text).not.toContain(token);
  });
});

// mutation serviceTokenRevoke: the token ends at once on every process.
describe('serviceTokenRevoke', () => {
  test('a revoked token is refused from the next request on, and is not listed any more', async () => {
    const service = await shared.withNewApplication();
    const admin = await newUser(service, await organizationOf(service, service.application.id), 'admin');
    const { id, token } = await newServiceToken(admin);
    const ask = () => askAdmin(service.url, { query: '{ campaignsCount }', token });
    expect((await ask()).status).toBe(200);
    const revoke = () => admin.ask('mutation R($id: UUID!) { serviceTokenRevoke(id: $id) }', { id });
    expect((await revoke()).data).toEqual({ serviceTokenRevoke: true });
    expect((await ask()).codes).toEqual(['UNAUTHENTICATED']);
    expect((await admin.ask('{ serviceTokens { id } }')).data).toEqual({ serviceTokens: [] });
    expect((await revoke()).codes).toEqual(['NOT_FOUND']);
  });
});
