// The audit log: who reads it, the details of each line, and the secrets that were shown.
import { randomUUID } from 'node:crypto';
import { audit, auditAlone } from '../../src/audit/audit.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { askAdmin } from '../support/adminClient.ts';
import { type AuditLine, auditLines, lastLine } from '../support/auditLines.ts';
import { storeCampaign } from '../support/campaigns.ts';
import { newAccount } from '../support/fakeStore.ts';
import { countStatements } from '../support/statements.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// query auditLog: who may read which lines, pages that lose no line, and lines that nobody can change.
describe('auditLog', () => {
  interface Line {
    at: string;
    actor: string;
    action: string;
    objectType: string;
    objectId: string;
    details: unknown;
  }

  let service: TestService;
  let admin: TestUser;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    admin = await newUser(service, await newOrganization(service), 'admin');
  });

  async function read(user: TestUser, variables: { limit?: number | null; before?: string | null } = {}) {
    const query = `query A($limit: Int, $before: DateTime) {
    auditLog(limit: $limit, before: $before) { at actor action objectType objectId details } }`;
    return user.ask(query, variables);
  }
  const page = async (user: TestUser, variables?: Parameters<typeof read>[1]) =>
    (await read(user, variables)).data!['auditLog'] as Line[];

  async function pageBack(user: TestUser, limit: number): Promise<Line[]> {
    const lines: Line[] = [];
    for (;;) {
      const before = lines.at(-1)?.at ?? null;
      const next = await page(user, { limit, before });
      if (next.length === 0) return lines;
      lines.push(...next);
    }
  }

  const entry = (objectId: string) => ({ action: 'projectEdit', objectType: 'project', objectId }) as const;
  const auditLine = (user: TestUser, line: Parameters<typeof auditAlone>[2]) =>
    auditAlone(service.database.pool, user, line);
  const write = (user: TestUser, ...objectIds: string[]) =>
    auditAlone(service.database.pool, user, ...objectIds.map(entry));

  test('shows each change with its author, newest first, and what it was', async () => {
    const owner = await newUser(service, admin.organizationId);
    const created = await admin.ask('mutation { projectEdit(input: { name: "Shop", image: "i.png" }) { id } }');
    const { id } = created.data!['projectEdit'] as { id: string };
    const begun = Date.now();
    await owner.ask(`mutation { projectEdit(input: { id: "${id}", name: "Store", image: "i.png" }) { id } }`);
    const lines = await page(admin);
    expect(lines).toEqual([
      {
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
        ...{ actor: owner.email, action: 'projectEdit', objectType: 'project', objectId: id },
        details: { name: { from: 'Shop', to: 'Store' } },
      },
      {
        at: expect.any(String) as string,
        ...{ actor: admin.email, action: 'projectEdit', objectType: 'project', objectId: id },
        details: { name: { from: null, to: 'Shop' }, image: { from: null, to: 'i.png' } },
      },
    ]);
    expect(Math.abs(Date.parse(lines[0]!.at) - begun)).toBeLessThan(5_000);
    expect(await page(owner)).toEqual(lines);
  });

  test.each(['viewer', 'editor'] as const)('is not for a %s', async (role) => {
    const user = await newUser(service, admin.organizationId, role);
    expect((await read(user)).codes).toEqual(['FORBIDDEN']);
  });

  test('holds the own organization only', async () => {
    const stranger = await newUser(service, await newOrganization(service));
    await write(stranger, 'theirs');
    expect(await page(admin)).toEqual([]);
    await write(admin, 'ours');
    expect((await page(admin)).map(({ objectId }) => objectId)).toEqual(['ours']);
  });

  test.each([0, 201, -1])('refuses a limit of %d', async (limit) => {
    const { errors } = await read(admin, { limit });
    expect(errors[0]!.extensions).toMatchObject({ code: 'BAD_USER_INPUT', fields: [{ path: 'limit' }] });
  });

  test.each([
    ['0000-01-01T00:00:00Z', 400],
    ['0001-01-01T00:00:00Z', 200],
    ['9999-12-31T23:59:59.999Z', 200],
    ['9999-12-31T23:59:59-00:01', 400],
    ['2026-03-01T09:30', 400],
    ['2026-03-01T09:30:00.0001', 400],
  ])('before %s gets a response HTTP %d', async (before, status) => {
    expect((await admin.ask(`{ auditLog(before: "${before}") { at } }`)).status).toBe(status);
  });

  test('has 50 lines by default, and null is the default', async () => {
    for (let index = 0; index < 51; index += 1) await write(admin, String(index));
    expect(await page(admin)).toHaveLength(50);
    expect(await page(admin, { limit: null, before: null })).toHaveLength(50);
    expect((await page(admin, { limit: 1 }))[0]!.objectId).toBe('50');
  });

  test('filters by who did it, what they did and to what, all together and page by page', async () => {
    const owner = await newUser(service, admin.organizationId);
    await write(admin, 'a', 'b');
    await write(owner, 'a');
    await auditLine(owner, { action: 'campaignEdit', objectType: 'campaign', objectId: 'a' });
    const filtered = async (filters: string) => {
      const { data } = await admin.ask(`{ auditLog(${filters}) { actor action objectId } }`);
      return (data!['auditLog'] as Line[]).map(({ actor, action, objectId }) => {
        return `${actor === admin.email ? 'admin' : 'owner'} ${action} ${objectId}`;
      });
    };
    expect(await filtered(`actor: "${admin.email}"`)).toEqual(['admin projectEdit b', 'admin projectEdit a']);
    expect(await filtered(`actor: "${admin.email.toUpperCase()}", objectId: "a"`)).toEqual(['admin projectEdit a']);
    expect(await filtered('objectType: "campaign"')).toEqual(['owner campaignEdit a']);
    expect(await filtered('action: "projectEdit", objectId: "a", limit: 1')).toEqual(['owner projectEdit a']);
    expect(await filtered('objectId: "a", actor: null, action: null, objectType: null')).toHaveLength(3);
    const nothing = ['objectType: "Campaign"', 'action: ""', 'objectId: "c"', 'actor: "nobody"', 'actor: ""'];
    for (const none of [...nothing, 'actor: "%"', 'objectId: "_"', 'action: "project%"', 'objectId: "A"']) {
      expect(await filtered(none)).toEqual([]);
    }
  });

  test.each(['actor', 'objectType', 'objectId', 'action'])('a %s of 301 characters is refused', async (name) => {
    const { errors } = await admin.ask(`{ auditLog(${name}: "${'x'.repeat(301)}") { at } }`);
    expect(errors[0]!.extensions).toMatchObject({ code: 'BAD_USER_INPUT', fields: [{ path: name }] });
  });

  test('lines of one instant stay on one page, and paging back meets each line once, in order', async () => {
    await write(admin, 'a1', 'a2', 'a3');
    await write(admin, 'b1');
    await write(admin, 'c1', 'c2', 'c3', 'c4');
    const order = ['c4', 'c3', 'c2', 'c1', 'b1', 'a3', 'a2', 'a1'];
    for (const limit of [1, 2, 3, 5, 200]) {
      expect((await pageBack(admin, limit)).map(({ objectId }) => objectId)).toEqual(order);
    }
    expect(await page(admin, { limit: 2 })).toHaveLength(4);
  });

  test('no two changes share an instant, however many there are at once', async () => {
    const ids = Array.from({ length: 60 }, () => randomUUID());
    await Promise.all(ids.map((id) => write(admin, id)));
    const lines = await pageBack(admin, 7);
    expect(lines.map(({ objectId }) => objectId).sort()).toEqual([...ids].sort());
    expect(new Set(lines.map(({ at }) => at)).size).toBe(ids.length);
  });

  test('a change that commits later has the later instant, so that it cannot appear behind a page', async () => {
    const { pool } = service.database;
    let commit = (): void => undefined;
    const held = new Promise<void>((resolve) => (commit = resolve));
    let written = (): void => undefined;
    const first = new Promise<void>((resolve) => (written = resolve));
    const slow = inTransaction(pool, async (client) => {
      await audit(client, admin, entry('slow'));
      written();
      await held;
    });
    await first;
    const quick = write(admin, 'quick');
    // A line of another organization waits for no transaction.
    await write(await newUser(service, await newOrganization(service)), 'elsewhere');
    expect(await page(admin)).toEqual([]);
    commit();
    await Promise.all([slow, quick]);
    expect((await page(admin)).map(({ objectId }) => objectId)).toEqual(['quick', 'slow']);
  });

  test('a clock that was set back does not turn the order around', async () => {
    const ahead = new Date(Date.now() + 60_000);
    const line = { organizationId: admin.organizationId, actor: admin.email, details: {}, ...entry('ahead') };
    await service.database.prisma.auditEntry.create({ data: { ...line, at: ahead } });
    await write(admin, 'next');
    const lines = await page(admin);
    expect(lines.map(({ objectId }) => objectId)).toEqual(['next', 'ahead']);
    expect(Date.parse(lines[0]!.at)).toBe(ahead.getTime() + 1);
  });

  test.each(["UPDATE audit_entries SET actor = 'nobody'", 'DELETE FROM audit_entries', 'TRUNCATE audit_entries'])(
    'the database refuses: %s',
    async (statement) => {
      await write(admin, 'kept');
      await expect(service.database.pool.query(statement)).rejects.toThrow('audit_entries is append-only');
      expect(await page(admin)).toHaveLength(1);
    },
  );

  test('lines outlive their organization', async () => {
    await write(admin, 'kept');
    await service.database.prisma.organization.delete({ where: { id: admin.organizationId } });
    expect(await service.database.prisma.auditEntry.count({ where: { organizationId: admin.organizationId } })).toBe(1);
  });

  test('a page is read off the key, without sorting the log', async () => {
    const plan = await inTransaction(service.database.pool, async (client) => {
      await client.query('SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off');
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN SELECT * FROM audit_entries WHERE organization_id = '${admin.organizationId}' AND at < 'infinity'
       ORDER BY at DESC FETCH FIRST 50 ROWS WITH TIES`,
      );
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
    expect(plan).toContain('Index Scan Backward using audit_entries_pkey');
    expect(plan).not.toContain('Sort');
  });
});

// The line of each mutation in the audit log: the object, and the details that schema.graphql promises.
describe('auditLog: details', () => {
  let service: TestService;
  let admin: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    admin = await newUser(service, await organizationOf(service, service.application.id), 'admin');
  });

  /** The only line that the mutation writes, without its actor, and the mutation's result. */
  async function lineOf<Result>(field: string): Promise<{ line: Omit<AuditLine, 'actor'>; response: Result }> {
    const since = await lastLine(service);
    const { data, errors } = await admin.ask(`mutation { ${field} }`);
    expect(errors).toEqual([]);
    const lines = await auditLines(service, admin.organizationId, since);
    expect(lines).toHaveLength(1);
    const { actor, ...line } = lines[0]!;
    expect(actor).toBe(admin.email);
    return { line, response: Object.values(data!)[0] as Result };
  }

  async function newProject(): Promise<string> {
    const { response: result } = await lineOf<{ id: string }>('projectEdit(input: { name: "P" }) { id }');
    return result.id;
  }

  async function newApplication(projectId: string): Promise<string> {
    const input = `{ projectId: "${projectId}", name: "A", bundleId: "com.a", platform: "iOS" }`;
    const { line, response: result } = await lineOf<{ id: string }>(`applicationEdit(input: ${input}) { id }`);
    const created = { projectId, name: 'A', bundleId: 'com.a', platform: 'iOS' };
    const details = Object.fromEntries(Object.entries(created).map(([name, to]) => [name, { from: null, to }]));
    expect(line).toEqual({ action: 'applicationEdit', objectType: 'application', objectId: result.id, details });
    return result.id;
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
    const key = { objectType: 'apiKey', objectId: created.response.public, details: { applicationId: id } };
    expect(created.line).toEqual({ action: 'apiKeyCreate', ...key });
    const { line } = await lineOf(`apiKeyRevoke(public: "${created.response.public}")`);
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
    const { id } = created.response;
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
});

// Every read of a secret is in the audit log before the secret leaves: one line per key and request, and none without a secret.
describe('auditLog: reveals', () => {
  interface Key {
    public: string;
    secret: string;
  }

  let service: TestService;
  let admin: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });
  beforeEach(async () => {
    admin = await newUser(service, await newOrganization(service), 'admin');
  });

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

  test('a mutation that responses a secret has both lines, first the change', async () => {
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
    const refused = await admin
      .ask(query)
      .finally(() => pool.query('ALTER TABLE audit_entries DROP CONSTRAINT broken'));
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
});
