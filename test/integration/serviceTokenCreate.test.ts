// mutation serviceTokenCreate: the token is shown once and stored hashed, acts under its name, and ends at its expiry.
import { createHash, randomUUID } from 'node:crypto';
import { askAdmin } from '../support/adminClient.ts';
import { auditLines, lastLine } from '../support/auditLines.ts';
import { newServiceToken, storeServiceToken } from '../support/serviceTokens.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let admin: TestUser;
let now = new Date();
beforeAll(async () => {
  service = await startTestService({ now: () => now });
  admin = await newUser(service, await organizationOf(service, service.application.id), 'admin');
});
afterAll(() => service.stop());

const create = `mutation Create($input: ServiceTokenCreateInput!) {
  serviceTokenCreate(input: $input) { token serviceToken { id name role applicationIds createdBy expiresAt lastUsedAt } }
}`;
const statusOf = async (token: string) => (await askAdmin(service.url, { query: '{ campaignsCount }', token })).status;

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
