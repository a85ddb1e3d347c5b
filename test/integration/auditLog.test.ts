// query auditLog: who may read which lines, pages that lose no line, and lines that nobody can change.
import { randomUUID } from 'node:crypto';
import { audit, auditAlone } from '../../src/audit/audit.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

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
beforeEach(async () => {
  admin = await newUser(service, await newOrganization(service), 'admin');
});
afterAll(() => service.stop());

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
])('before %s is answered HTTP %d', async (before, status) => {
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
