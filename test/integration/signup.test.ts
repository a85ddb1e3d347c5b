// mutation signup: a new organization with its owner, the rules for its input, and one account per address.
import { askAdmin } from '../support/adminClient.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const signup = (input: Record<string, string>, url = service.url) =>
  askAdmin(url, {
    query: `mutation S($input: RegistrationUserInput!) {
      signup(input: $input) { token user { email name role status } organization { name users { email } } }
    }`,
    variables: {
      input: { email: 'ann@example.com', password: 'a fine phrase', organization: 'Acme', name: 'Ann', ...input },
    },
  });
const pathsOf = async (input: Record<string, string>) => {
  const { errors } = await signup(input);
  return (errors[0]!.extensions['fields'] as { path: string }[]).map(({ path }) => path);
};

test('makes the owner of a new organization, logged in', async () => {
  const { data } = await signup({ email: ' Ann@Example.COM\t', organization: '\u2003Acme ', name: ' Ann ' });
  expect(data!['signup']).toEqual({
    token: expect.any(String) as string,
    user: { email: 'ann@example.com', name: 'Ann', role: 'owner', status: 'active' },
    organization: { name: 'Acme', users: [{ email: 'ann@example.com' }] },
  });
  const { token } = data!['signup'] as { token: string };
  expect((await askAdmin(service.url, { query: '{ organization { name } }', token })).status).toBe(200);
  const query = 'mutation { login(input: { email: "ANN@example.com", password: "a fine phrase" }) { token } }';
  expect((await askAdmin(service.url, { query })).errors).toEqual([]);
});

test('an address in use is CONFLICT, also for two at once, and leaves nothing behind', async () => {
  const before = await service.database.prisma.organization.count();
  const answers = await Promise.all([signup({ email: 'b@example.com' }), signup({ email: 'B@example.com' })]);
  expect(answers.flatMap(({ codes }) => codes)).toEqual(['CONFLICT']);
  expect((await signup({ email: 'b@EXAMPLE.com' })).errors[0]!.extensions).toEqual({
    code: 'CONFLICT',
    reason: 'email_in_use',
  });
  expect(await service.database.prisma.organization.count()).toBe(before + 1);
});

test('all fields that are wrong are named at once', async () => {
  expect(await pathsOf({ email: 'nobody', password: 'short', organization: ' \u0085', name: '' })).toEqual([
    'input.email',
    'input.password',
    'input.organization',
    'input.name',
  ]);
});

test.each(['a@b@c', 'a b@c', '@c', 'a@', 'a\u0000@c', `${'a'.repeat(250)}@b.cd`, 'a@b\nc', '<a@b>'])(
  'is no e-mail address: %j',
  async (email) => expect(await pathsOf({ email })).toEqual(['input.email']),
);

test.each([
  '1234567',
  '😀😀😀😀😀😀😀',
  'p'.repeat(257),
  'Password123',
  'password',
  'QWERTYUIOP',
  'summer2024!',
  'abc\u0000defgh',
  'abcdefgh\ud800',
])('is no password: %j', async (password) => expect(await pathsOf({ password })).toEqual(['input.password']));

test('a password may be 256 characters, counted as code points, and has white space where it has it', async () => {
  const password = ` ${'😀'.repeat(254)} `;
  expect((await signup({ email: 'c@example.com', password })).errors).toEqual([]);
  const query =
    'mutation L($password: String!) { login(input: { email: "c@example.com", password: $password }) { token } }';
  const trimmed = await askAdmin(service.url, { query, variables: { password: password.trim() } });
  expect(trimmed.codes).toEqual(['INVALID_CREDENTIALS']);
});

test('names are at most 256 characters', async () => {
  expect(await pathsOf({ name: 'x'.repeat(257), organization: 'x'.repeat(257) })).toEqual([
    'input.organization',
    'input.name',
  ]);
});

test('attempts are limited for an e-mail address, however it is spelt, and for the network address', async () => {
  await using strict = await startTestService({ attemptLimits: { perAccount: 2, perAddress: 5, windowSeconds: 900 } });
  const codes: string[][] = [];
  for (const email of ['a@b.example', 'A@b.example', ' a@B.example', 'c@b.example', 'd@b.example', 'e@b.example'])
    codes.push((await signup({ email }, strict.url)).codes);
  expect(codes).toEqual([[], ['CONFLICT'], ['RATE_LIMITED'], [], [], ['RATE_LIMITED']]);
  expect(await strict.database.prisma.organization.count({ where: { name: 'Acme' } })).toBe(3);
});
