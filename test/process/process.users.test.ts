// The programs user:create and user:reset as an operator runs them in production: what they print, and what they refuse.
import { askAdmin } from '../support/adminClient.ts';
import { createDurableDatabase } from '../support/durablePostgres.ts';
import { productionEnv } from '../support/productionEnv.ts';
import { clearAway, newDataDir, postgresPid, runBuilt, startService } from '../support/serviceProcess.ts';
import type { TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  database = await createDurableDatabase();
  const { NODE_ENV, DASHBOARD_URL } = productionEnv;
  env = { NODE_ENV, DASHBOARD_URL: `${DASHBOARD_URL}/app/`, DATABASE_URL: database.url };
  await runBuilt('src/programs/migrate.js', { NODE_ENV, DATABASE_URL: database.url }).ended;
});
afterEach(clearAway);
afterAll(() => database.drop());

async function run(program: 'userCreate' | 'userReset', words: string[], given = env) {
  const running = runBuilt(`src/programs/${program}.js`, given, words);
  const { code } = await running.ended;
  return { code, stdout: running.stdout(), stderr: running.stderr() };
}
const create = (...words: string[]) => run('userCreate', words);
const reset = (...words: string[]) => run('userReset', words);

/** The token of the link, which is the last line. */
function tokenIn(stdout: string, page: string): string {
  const form = new RegExp(`\\nhttps://dashboard\\.example\\.com/app/${page}\\?token=([\\w-]{43})\\n$`);
  return form.exec(stdout)![1]!;
}

const audited = async () =>
  (await database.prisma.auditEntry.findMany({ orderBy: { id: 'asc' } })).map(({ actor, action, objectId }) => [
    actor,
    action,
    objectId,
  ]);

test('make the first owner while SIGNUP is closed, and a new password later, with each link once', async () => {
  const created = await create('--email', ' Olga@Example.com', '--organization', 'Acme', '--name', 'Olga');
  expect([created.code, created.stderr]).toEqual([0, '']);
  expect(created.stdout).toContain('olga@example.com owns the new organization. Set a password within 24 hours:\n');
  const { id: organizationId } = await database.prisma.organization.findFirstOrThrow({ where: { name: 'Acme' } });
  const user = await database.prisma.user.findUniqueOrThrow({
    where: { email: 'olga@example.com' },
    include: { memberships: true },
  });
  const memberships = [{ organizationId, role: 'owner', status: 'active' }];
  expect(user).toMatchObject({ memberships, name: 'Olga', passwordHash: null });
  expect(user.emailVerifiedAt).not.toBeNull();

  const service = await startService({
    ...{ ...productionEnv, ...env, SIGNUP: 'closed', HOST: '127.0.0.1', PORT: '0', OPS_PORT: '0' },
  });
  const ask = (query: string) => askAdmin(service.url, { query });
  const update = (token: string, password: string) =>
    ask(
      `mutation { updatePassword(input: { token: "${token}", newPassword: "${password}", newPasswordRepeat: "${password}" }) }`,
    );
  const login = (password: string) =>
    ask(`mutation { login(input: { email: "olga@example.com", password: "${password}" }) { user { role } } }`);
  const first = tokenIn(created.stdout, 'reset-password');
  expect((await update(first, 'a fine phrase')).errors).toEqual([]);
  expect((await update(first, 'a third phrase')).codes).toEqual(['INVALID_TOKEN']);
  expect((await login('a fine phrase')).data).toEqual({ login: { user: { role: 'owner' } } });
  const input = '{ email: "ann@example.com", password: "a fine phrase", organization: "x", name: "x" }';
  expect((await ask(`mutation { signup(input: ${input}) { token } }`)).codes).toEqual(['FORBIDDEN']);

  const again = await reset('--email', 'OLGA@example.com');
  expect([again.code, again.stderr]).toEqual([0, '']);
  expect((await update(tokenIn(again.stdout, 'reset-password'), 'another phrase')).errors).toEqual([]);
  expect((await login('another phrase')).errors).toEqual([]);
  expect(await audited()).toEqual([
    ['command line', 'userCreate', organizationId],
    ['olga@example.com', 'updatePassword', 'olga@example.com'],
    ['command line', 'userReset', 'olga@example.com'],
    ['olga@example.com', 'updatePassword', 'olga@example.com'],
  ]);
  expect(service.stdout()).not.toContain(first);
  await service.end('SIGTERM');
});

test('an address in use is refused with the program to use, and an unknown one is refused', async () => {
  await create('--email', 'ann@example.com', '--organization', 'Ann and sons');
  const before = await audited();
  const second = await create('--email', 'ANN@example.com', '--organization', 'Other');
  expect(second).toMatchObject({ code: 1, stdout: '' });
  expect(second.stderr).toBe(
    'ann@example.com is in use: npm run user:reset -- --email ann@example.com prints a link for it.\n',
  );
  expect(await database.prisma.organization.count({ where: { name: 'Other' } })).toBe(0);
  const unknown = await reset('--email', 'nobody@example.com');
  expect(unknown).toEqual({ code: 1, stdout: '', stderr: 'No user has the address nobody@example.com.\n' });
  // A disabled member is a user too: what the password is good for is the organization's decision.
  await database.prisma.membership.updateMany({
    where: { user: { email: 'ann@example.com' } },
    data: { status: 'disabled' },
  });
  tokenIn((await reset('--email', 'ann@example.com')).stdout, 'reset-password');
  expect((await audited()).length).toBe(before.length + 1);
});

test.each<['userCreate' | 'userReset', string[], string]>([
  ['userCreate', [], '--email, --organization is missing.'],
  ['userCreate', ['--email', 'a@example.com'], '--organization is missing.'],
  ['userCreate', ['--email', 'nobody', '--organization', ' '], '--email must be an e-mail address'],
  ['userCreate', ['--email', 'a@example.com', '--organization', 'x', 'more'], "Unexpected argument 'more'"],
  ['userReset', ['--mail', 'a@example.com'], "Unknown option '--mail'"],
  ['userReset', ['--email'], "Option '--email <value>' argument missing"],
  ['userReset', ['--email', 'a'], '--email must be an e-mail address'],
])('%s %j is a wrong command line: one line, and exit code 2', async (program, words, text) => {
  const { code, stdout, stderr } = await run(program, words, {});
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(text);
  expect(stderr).toMatch(/^[^\n]+ Usage: npm run user:(create|reset) -- --email ADDRESS[^\n]*\n$/);
});

test.each(['userCreate', 'userReset'] as const)('%s --help prints the usage and does nothing', async (program) => {
  const dataDir = newDataDir();
  const { code, stdout, stderr } = await run(program, ['--help'], { DATA_DIR: dataDir });
  expect([code, stderr, postgresPid(dataDir)]).toEqual([0, '', undefined]);
  expect(stdout).toMatch(/^Usage: npm run user:.*\nIn the image: node dist\/src\/programs\/user/);
});

test('production needs the database and the dashboard, and no secret of the service', async () => {
  const { code, stderr } = await run('userReset', ['--email', 'a@example.com'], { NODE_ENV: 'production' });
  expect(code).toBe(1);
  expect([...stderr.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name)).toEqual(['DATABASE_URL', 'DASHBOARD_URL']);
});
