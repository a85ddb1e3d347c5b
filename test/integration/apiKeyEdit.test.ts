// mutation apiKeyEdit: sets, changes and clears the label of a key, live or revoked.
import { auditLines, lastLine } from '../support/auditLines.ts';
import { statementsOf } from '../support/statements.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';
import { createApplication, createProject, type AskedApplication } from '../support/workspace.ts';

let service: TestService;
let admin: TestUser;
let application: AskedApplication;
let key: string;
beforeAll(async () => {
  service = await startTestService();
  admin = await newUser(service, await newOrganization(service), 'admin');
});
afterAll(() => service.stop());
beforeEach(async () => {
  application = await createApplication(admin, await createProject(admin));
  key = application.apiKeys[0]!.public;
});

const edit = (label?: string | null, of = key, by = admin) =>
  by.ask('mutation E($input: ApiKeyEditInput!) { apiKeyEdit(input: $input) { public label } }', {
    input: { public: of, ...(label !== undefined && { label }) },
  });
const labelOf = async () => (await service.database.prisma.apiKey.findUniqueOrThrow({ where: { public: key } })).label;

test('sets, keeps and clears the label, with a line for each change', async () => {
  const since = await lastLine(service);
  expect((await edit(' One ')).data).toEqual({ apiKeyEdit: { public: key, label: 'One' } });
  expect((await edit()).data).toEqual({ apiKeyEdit: { public: key, label: 'One' } });
  expect(await labelOf()).toBe('One');
  expect((await edit('')).data).toEqual({ apiKeyEdit: { public: key, label: null } });
  expect(await labelOf()).toBeNull();
  await edit('Two');
  expect((await edit(null)).data).toEqual({ apiKeyEdit: { public: key, label: null } });
  const lines = await auditLines(service, admin.organizationId, since);
  const changes: [string | null, string | null][] = [
    [null, 'One'],
    ['One', null],
    [null, 'Two'],
    ['Two', null],
  ];
  expect(lines).toEqual(
    changes.map(([from, to]) => ({
      ...{ actor: admin.email, action: 'apiKeyEdit', objectType: 'apiKey', objectId: key },
      details: { applicationId: application.id, label: { from, to } },
    })),
  );
});

test('reads a secret only where the response has it, as a list of keys does', async () => {
  const readsSecret = async (text: string) =>
    (await statementsOf(() => admin.ask(text))).some((statement) => statement.includes('secret_encrypted'));
  const edited = (fields: string) => `mutation { apiKeyEdit(input: { public: "${key}" }) { ${fields} } }`;
  const listed = (fields: string) => `{ applications { apiKeys { ${fields} } } }`;
  for (const text of [edited, listed])
    expect([await readsSecret(text('public label')), await readsSecret(text('secret'))]).toEqual([false, true]);
  expect((await admin.ask(edited('secret'))).data).toEqual({ apiKeyEdit: { secret: application.apiKeys[0]!.secret } });
});

test('a revoked key can still be labelled', async () => {
  await admin.ask(`mutation { apiKeyRevoke(public: "${key}") }`);
  expect((await edit('lost with a laptop')).data).toEqual({ apiKeyEdit: { public: key, label: 'lost with a laptop' } });
});

test("another organization's key, that of a deleted application and an unknown one are NOT_FOUND", async () => {
  const stranger = await newUser(service, await newOrganization(service), 'owner');
  expect((await edit('x', key, stranger)).codes).toEqual(['NOT_FOUND']);
  expect((await edit('x', `pub_${'0'.repeat(32)}`)).codes).toEqual(['NOT_FOUND']);
  await admin.ask(`mutation { applicationDelete(id: "${application.id}") }`);
  expect((await edit('x')).codes).toEqual(['NOT_FOUND']);
});

test.each([' ', 'x'.repeat(257)])('the label "%s" is refused', async (label) => {
  const { errors } = await edit(label);
  expect(errors[0]!.extensions).toMatchObject({ code: 'BAD_USER_INPUT', fields: [{ path: 'input.label' }] });
});
