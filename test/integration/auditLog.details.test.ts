// The line of each mutation in the audit log: the object, and the details that schema.graphql promises.
import { randomUUID } from 'node:crypto';
import { askAdmin } from '../support/adminClient.ts';
import { auditLines, lastLine, type AuditLine } from '../support/auditLines.ts';
import { storeCampaign } from '../support/campaigns.ts';
import { newAccount } from '../support/fakeStore.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let admin: TestUser;
beforeAll(async () => {
  service = await startTestService();
  admin = await newUser(service, await organizationOf(service, service.application.id), 'admin');
});
afterAll(() => service.stop());

/** The only line that the mutation writes, without its actor, and the mutation's result. */
async function lineOf<Answer>(field: string): Promise<{ line: Omit<AuditLine, 'actor'>; answer: Answer }> {
  const since = await lastLine(service);
  const { data, errors } = await admin.ask(`mutation { ${field} }`);
  expect(errors).toEqual([]);
  const lines = await auditLines(service, admin.organizationId, since);
  expect(lines).toHaveLength(1);
  const { actor, ...line } = lines[0]!;
  expect(actor).toBe(admin.email);
  return { line, answer: Object.values(data!)[0] as Answer };
}

async function newProject(): Promise<string> {
  const { answer } = await lineOf<{ id: string }>('projectEdit(input: { name: "P" }) { id }');
  return answer.id;
}

async function newApplication(projectId: string): Promise<string> {
  const input = `{ projectId: "${projectId}", name: "A", bundleId: "com.a", platform: "iOS" }`;
  const { line, answer } = await lineOf<{ id: string }>(`applicationEdit(input: ${input}) { id }`);
  const created = { projectId, name: 'A', bundleId: 'com.a', platform: 'iOS' };
  const details = Object.fromEntries(Object.entries(created).map(([name, to]) => [name, { from: null, to }]));
  expect(line).toEqual({ action: 'applicationEdit', objectType: 'application', objectId: answer.id, details });
  return answer.id;
}

test('applicationEdit: the fields that have another value now', async () => {
  const id = await newApplication(await newProject());
  const other = await newProject();
  const { line } = await lineOf(
    `applicationEdit(input: { id: "${id}", projectId: "${other}", name: "A", image: "i", platform: "Android" }) { id }`,
  );
  expect(line.details).toEqual({
    projectId: { from: expect.any(String) as string, to: other },
    image: { from: '', to: 'i' },
    platform: { from: 'iOS', to: 'Android' },
  });
});

test('projectDelete: the applications that went with it; applicationDelete: nothing more', async () => {
  const project = await newProject();
  const ids = [await newApplication(project), await newApplication(project), await newApplication(project)];
  const one = await lineOf(`applicationDelete(id: "${ids[0]}")`);
  expect(one.line).toEqual({
    ...{ action: 'applicationDelete', objectType: 'application', objectId: ids[0] },
    details: {},
  });
  const { line } = await lineOf(`projectDelete(id: "${project}")`);
  const details = { applications: ids.slice(1).sort() };
  expect(line).toEqual({ action: 'projectDelete', objectType: 'project', objectId: project, details });
});

test('apiKeyCreate and apiKeyRevoke: the public key and its application', async () => {
  const id = await newApplication(await newProject());
  const created = await lineOf<{ public: string }>(`apiKeyCreate(applicationId: "${id}") { public }`);
  const key = { objectType: 'apiKey', objectId: created.answer.public, details: { applicationId: id } };
  expect(created.line).toEqual({ action: 'apiKeyCreate', ...key });
  const { line } = await lineOf(`apiKeyRevoke(public: "${created.answer.public}")`);
  expect(line).toEqual({ action: 'apiKeyRevoke', ...key });
});

test('campaignChangeState: the version it made, and the states that were seen before and after', async () => {
  const startAt = new Date(Date.now() - 60_000);
  const { id } = await storeCampaign(service, { state: 'SCHEDULED', startAt });
  const { line } = await lineOf(`campaignChangeState(id: "${id}", state: PAUSED) { state }`);
  // The stored state is SCHEDULED; by the clock, the campaign had begun.
  const details = { version: 2, from: 'ACTIVE', to: 'PAUSED' };
  expect(line).toEqual({ action: 'campaignChangeState', objectType: 'campaign', objectId: id, details });
});

test('campaignEdit: the version it made, and the fields that have another value now', async () => {
  const application = service.application.id;
  const fields = 'name: "A", description: null, priority: 0, trigger: { event: "E", type: CUSTOM }';
  const input = `{ applicationId: "${application}", ${fields}, schedule: { endAt: "2099-01-01T00:00:00Z" } }`;
  const created = await lineOf<{ id: string }>(`campaignEdit(input: ${input}) { id }`);
  const { id } = created.answer;
  const about = { action: 'campaignEdit', objectType: 'campaign', objectId: id };
  expect(created.line).toEqual({ ...about, details: { version: 1, fields: ['name', 'trigger', 'schedule'] } });
  const edit = `trigger: { type: CUSTOM, event: "E", filters: [] }, action: { type: "a", payload: { b: -0, a: 1 } }`;
  const edited = await lineOf(`campaignEdit(input: { id: "${id}", name: "B", ${edit} }) { id }`);
  expect(edited.line).toEqual({ ...about, details: { version: 2, fields: ['name', 'action'] } });
  const again = await lineOf(`campaignEdit(input: { id: "${id}", name: "B", ${edit} }) { id }`);
  expect(again.line).toEqual({ ...about, details: { version: 3, fields: [] } });
});

test('storeCredentialsEdit: whether they were set or cleared, and nothing of them; clearing none writes no line', async () => {
  const applicationId = service.application.id;
  const { issuerId, keyId, privateKey } = newAccount();
  const values = `issuerId: "${issuerId}", keyId: "${keyId}", privateKey: ${JSON.stringify(privateKey)}`;
  const clear = `storeCredentialsEdit(input: { applicationId: "${applicationId}" })`;
  const about = { action: 'storeCredentialsEdit', objectType: 'storeCredentials', objectId: applicationId };
  const set = await lineOf(`storeCredentialsEdit(input: { applicationId: "${applicationId}", ${values} })`);
  expect(set.line).toEqual({ ...about, details: { set: true } });
  expect((await lineOf(clear)).line).toEqual({ ...about, details: { set: false } });
  const since = await lastLine(service);
  await admin.ask(`mutation { ${clear} }`);
  expect(await auditLines(service, admin.organizationId, since)).toEqual([]);
});

test('signup: the new organization, by its owner', async () => {
  const email = `${randomUUID()}@example.com`;
  const query = `mutation { signup(input: { email: " ${email.toUpperCase()}", password: "a fine phrase", name: "Ann",
    organization: "Acme" }) { organization { id } } }`;
  const { data } = await askAdmin(service.url, { query });
  const { id } = (data!['signup'] as { organization: { id: string } }).organization;
  expect(await auditLines(service, id)).toEqual([
    { actor: email, action: 'signup', objectType: 'organization', objectId: id, details: {} },
  ]);
});
