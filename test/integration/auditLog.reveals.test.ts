// Every read of a secret is in the audit log before the secret leaves: one line per key and request, and none without a secret.
import { auditLines, lastLine, type AuditLine } from '../support/auditLines.ts';
import { countStatements } from '../support/statements.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

interface Key {
  public: string;
  secret: string;
}

let service: TestService;
let admin: TestUser;
beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  admin = await newUser(service, await newOrganization(service), 'admin');
});
afterAll(() => service.stop());

/** A project with one application, whose first key no test has read. */
async function addApplication(): Promise<{ id: string; key: string }> {
  const project = await admin.ask('mutation { projectEdit(input: { name: "P" }) { id } }');
  const projectId = (project.data!['projectEdit'] as { id: string }).id;
  const { data } = await admin.ask(
    `mutation { applicationEdit(input: { projectId: "${projectId}", name: "A", bundleId: "b", platform: "iOS" })
      { id apiKeys { public } } }`,
  );
  const { id, apiKeys } = data!['applicationEdit'] as { id: string; apiKeys: Key[] };
  return { id, key: apiKeys[0]!.public };
}

async function linesOf(work: () => Promise<unknown>): Promise<AuditLine[]> {
  const since = await lastLine(service);
  await work();
  return auditLines(service, admin.organizationId, since);
}

const revealOf = (key: string, applicationId: string, actor = admin.email): AuditLine => ({
  ...{ actor, action: 'apiKeyReveal', objectType: 'apiKey', objectId: key },
  details: { applicationId },
});
const byKey = (lines: AuditLine[]) => lines.sort((one, other) => (one.objectId < other.objectId ? -1 : 1));

test('reading secrets writes one line for each key, however often the request asks for it', async () => {
  const [one, two] = [await addApplication(), await addApplication()];
  const query = `{ a: applications { apiKeys { secret again: secret } } projects { applications { apiKeys { secret } } }
    organization { projects { applications { project { applications { apiKeys { secret } } } } } } }`;
  const lines = await linesOf(async () => expect((await admin.ask(query)).errors).toEqual([]));
  expect(byKey(lines)).toEqual(byKey([revealOf(one.key, one.id), revealOf(two.key, two.id)]));
  expect(await linesOf(() => admin.ask(query))).toHaveLength(2);
});

test('reading keys without their secrets writes none, nor does a refusal', async () => {
  await addApplication();
  expect(await linesOf(() => admin.ask('{ applications { apiKeys { public lastUsed } } }'))).toEqual([]);
  const editor = await newUser(service, admin.organizationId, 'editor');
  const query = '{ applications { apiKeys { secret } } }';
  expect(await linesOf(async () => expect((await editor.ask(query)).codes).toEqual(['FORBIDDEN']))).toEqual([]);
});

test('a mutation that answers a secret has both lines, first the change', async () => {
  const { id } = await addApplication();
  let key: Key | undefined;
  const lines = await linesOf(async () => {
    const { data } = await admin.ask(`mutation { apiKeyCreate(applicationId: "${id}") { public secret } }`);
    key = data!['apiKeyCreate'] as Key;
  });
  const { public: created, secret } = key!;
  expect(secret).toMatch(/^sec_/);
  expect(lines).toEqual([{ ...revealOf(created, id), action: 'apiKeyCreate' }, revealOf(created, id)]);
});

test("a new application's first key is one too", async () => {
  const { id } = await addApplication();
  const lines = await linesOf(() =>
    admin.ask(`mutation { applicationEdit(input: { id: "${id}", name: "B" }) { apiKeys { secret } } }`),
  );
  expect(lines.map(({ action }) => action)).toEqual(['applicationEdit', 'apiKeyReveal']);
});

/** The text of a field login that reads the secrets, for a new owner. */
async function newLogin(): Promise<{ email: string; login: string }> {
  const { id, email } = await newUser(service, admin.organizationId);
  const passwordHash = await service.deps.passwords.hash('a fine phrase', 'known');
  await service.database.prisma.user.update({ where: { id }, data: { passwordHash } });
  const login = `login(input: { email: "${email}", password: "a fine phrase" })
    { organization { projects { applications { apiKeys { secret } } } } }`;
  return { email, login };
}

test('below login it is the user who logs in that read them', async () => {
  const { id, key } = await addApplication();
  const { email, login } = await newLogin();
  const lines = await linesOf(() => admin.ask(`mutation { ${login} }`));
  expect(lines).toEqual([revealOf(key, id, email)]);
});

test('what the bearer and the user who logs in both read is recorded for each', async () => {
  const { id, key } = await addApplication();
  const { email, login } = await newLogin();
  const edit = `applicationEdit(input: { id: "${id}" }) { apiKeys { secret } }`;
  const lines = await linesOf(() => admin.ask(`mutation { ${edit} ${login} }`));
  expect(lines).toEqual([revealOf(key, id), revealOf(key, id, email)]);
});

test('what cannot be recorded is not revealed, and what cannot be decrypted is no reveal', async () => {
  const { pool, prisma } = service.database;
  const { id } = await addApplication();
  const query = '{ applications { apiKeys { secret } } }';
  await pool.query('ALTER TABLE audit_entries ADD CONSTRAINT broken CHECK (false) NOT VALID');
  const refused = await admin.ask(query).finally(() => pool.query('ALTER TABLE audit_entries DROP CONSTRAINT broken'));
  expect([refused.codes, refused.data]).toEqual([['INTERNAL_SERVER_ERROR'], { applications: [{ apiKeys: null }] }]);
  expect(refused.text).not.toContain('sec_');
  await prisma.apiKey.updateMany({ where: { applicationId: id }, data: { secretEncrypted: Uint8Array.of(1, 2) } });
  expect(await linesOf(() => admin.ask(query))).toEqual([]);
});

test('the number of statements is the same for 1 key and for 50', async () => {
  const query = '{ projects { applications { apiKeys { secret } } } }';
  const count = () => countStatements(() => admin.ask(query));
  await addApplication();
  const one = await count();
  for (let index = 1; index < 50; index += 1) await addApplication();
  expect(await count()).toBe(one);
  expect(await linesOf(() => admin.ask(query))).toHaveLength(50);
});
