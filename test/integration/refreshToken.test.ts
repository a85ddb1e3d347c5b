// mutation refreshToken: rotation, the grace period for a second tab, retries after a lost reply, and the end of a login whose token was copied.
import { createHash } from 'node:crypto';
import { askAdmin } from '../support/adminClient.ts';
import { statementsOf } from '../support/statements.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, putMembership, type TestUser } from '../support/testUsers.ts';

const second = 1_000;
const day = 24 * 3_600 * second;

let service: TestService;
let user: TestUser;
let first: string;
let now = new Date();
beforeAll(async () => {
  service = await startTestService({ now: () => now });
});
afterAll(() => service.stop());
beforeEach(async () => {
  now = new Date();
  user = await newUser(service, await newOrganization(service));
  first = service.deps.refreshTokens.first();
  const expiresAt = new Date(now.getTime() + 30 * day);
  await service.database.prisma.refreshToken.create({
    data: {
      hash: Uint8Array.from(service.deps.refreshTokens.hashOf(first)),
      sessionId: user.sessionId,
      createdAt: now,
      expiresAt,
    },
  });
});

const pass = (millis: number) => void (now = new Date(now.getTime() + millis));
const refresh = (token: string, url = service.url) =>
  askAdmin(url, {
    query: 'mutation R($token: String!) { refreshToken(token: $token) { token refreshToken user { email } } }',
    variables: { token },
  });
async function pairOf(token: string): Promise<{ token: string; refreshToken: string }> {
  const { data, text } = await refresh(token);
  if (!data) throw new Error(text);
  return data['refreshToken'] as { token: string; refreshToken: string };
}
const isIn = async (token: string) =>
  (await askAdmin(service.url, { query: '{ me { email } }', token })).status === 200;

test('gives a new pair that works, again and again', async () => {
  const one = await pairOf(first);
  const two = await pairOf(one.refreshToken);
  expect(new Set([first, one.refreshToken, two.refreshToken]).size).toBe(3);
  expect(await isIn(one.token)).toBe(true);
  expect(await isIn(two.token)).toBe(true);
});

test('two tabs at once, and within 30 seconds, get the same successor', async () => {
  const pairs = await Promise.all([pairOf(first), pairOf(first), pairOf(first)]);
  pass(30 * second);
  pairs.push(await pairOf(first));
  expect(new Set(pairs.map(({ refreshToken }) => refreshToken)).size).toBe(1);
  const rows = await service.database.prisma.refreshToken.count({ where: { sessionId: user.sessionId } });
  expect(rows).toBe(2);
});

test.each<[string, (successor: { token: string; refreshToken: string }) => Promise<unknown>]>([
  ['its access token', ({ token }) => isIn(token)],
  ['its refresh token', ({ refreshToken }) => pairOf(refreshToken)],
])('used again later, after its successor was used by %s, it ends the login with all its tokens', async (_, use) => {
  const successor = await pairOf(first);
  await use(successor);
  pass(31 * second);
  expect((await refresh(first)).codes).toEqual(['INVALID_TOKEN']);
  expect((await refresh(successor.refreshToken)).codes).toEqual(['INVALID_TOKEN']);
  expect(await isIn(successor.token)).toBe(false);
});

test('while nobody has used its successor it gives the same successor at any time: the reply was lost', async () => {
  const lost = await pairOf(first);
  for (const wait of [33 * second, 3_600 * second, 29 * day - 3_700 * second]) {
    pass(wait);
    expect((await pairOf(first)).refreshToken).toBe(lost.refreshToken);
  }
  const again = await pairOf(first);
  expect(await isIn(again.token)).toBe(true);
  // The successor lives on from when it was last given.
  pass(20 * day);
  expect((await refresh(again.refreshToken)).codes).toEqual([]);
});

test('the retries after a lost reply end after 30 days, and end nothing else', async () => {
  const { refreshToken } = await pairOf(first);
  pass(29 * day);
  await pairOf(first);
  pass(day + second);
  expect((await refresh(first)).codes).toEqual(['INVALID_TOKEN']);
  expect((await refresh(refreshToken)).codes).toEqual([]);
});

test('a reply lost several refreshes later is retried too, and a copy of an older token is still found out', async () => {
  const one = await pairOf(first);
  await isIn(one.token);
  const two = await pairOf(one.refreshToken);
  pass(33 * second);
  expect((await pairOf(one.refreshToken)).refreshToken).toBe(two.refreshToken);
  expect((await refresh(first)).codes).toEqual(['INVALID_TOKEN']);
  expect((await refresh(two.refreshToken)).codes).toEqual(['INVALID_TOKEN']);
});

test('the 30 seconds count from the first use, however often it is used within them', async () => {
  const { token } = await pairOf(first);
  await isIn(token);
  pass(20 * second);
  await pairOf(first);
  pass(20 * second);
  expect((await refresh(first)).codes).toEqual(['INVALID_TOKEN']);
  expect(await isIn(token)).toBe(false);
});

test('an access token notes its generation once', async () => {
  const { token } = await pairOf(first);
  const statements = await statementsOf(async () => {
    await isIn(token);
    await isIn(token);
  });
  expect(statements.filter((text) => text.includes('markGenerationUsed'))).toHaveLength(1);
});

test('another login of the same user goes on', async () => {
  const other = await newUser(service, user.organizationId);
  await isIn((await pairOf(first)).token);
  pass(31 * second);
  await refresh(first);
  expect(await isIn(other.token)).toBe(true);
});

test('is dead 30 days after it was given', async () => {
  pass(30 * day - second);
  const { refreshToken } = await pairOf(first);
  pass(30 * day);
  expect((await refresh(refreshToken)).codes).toEqual(['INVALID_TOKEN']);
});

test('no refresh goes past 90 days from the login', async () => {
  let token = first;
  for (let times = 0; times < 4; times += 1) {
    pass(22 * day);
    token = (await pairOf(token)).refreshToken;
  }
  pass(2 * day - second);
  const last = await pairOf(token);
  pass(2 * second);
  expect((await refresh(last.refreshToken)).codes).toEqual(['INVALID_TOKEN']);
  expect(await isIn(last.token)).toBe(false);
});

test('unknown tokens, access tokens and a disabled user are answered alike', async () => {
  const texts = [await refresh(''), await refresh('x'.repeat(43)), await refresh(user.token), await refresh('\u0000')];
  await putMembership(service, user, { status: 'disabled' });
  texts.push(await refresh(first));
  expect(new Set(texts.map(({ text }) => text)).size).toBe(1);
  expect(texts[0]!.codes).toEqual(['INVALID_TOKEN']);
});

test('only hashes are stored', async () => {
  const { refreshToken } = await pairOf(first);
  const rows = await service.database.prisma.refreshToken.findMany({ where: { sessionId: user.sessionId } });
  const hashes = [first, refreshToken].map((token) => createHash('sha256').update(token).digest('hex'));
  expect(rows.map(({ hash }) => Buffer.from(hash).toString('hex')).sort()).toEqual(hashes.sort());
});

test('attempts are limited for a token and for the network address', async () => {
  await using strict = await startTestService({ attemptLimits: { perAccount: 2, perAddress: 5, windowSeconds: 900 } });
  const codes: string[] = [];
  for (const token of ['a', 'a', 'a', 'b', 'c', 'd', 'e']) codes.push(...(await refresh(token, strict.url)).codes);
  const [wrong, limited] = ['INVALID_TOKEN', 'RATE_LIMITED'];
  expect(codes).toEqual([wrong, wrong, limited, wrong, wrong, wrong, limited]);
});

test('valid refreshes of a whole office count against nobody, one after the other and at once', async () => {
  await using strict = await startTestService({ attemptLimits: { perAccount: 2, perAddress: 5, windowSeconds: 900 } });
  const tokens = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const { sessionId } = await newUser(strict, await newOrganization(strict));
      const token = strict.deps.refreshTokens.first();
      const hash = Uint8Array.from(strict.deps.refreshTokens.hashOf(token));
      const [createdAt, expiresAt] = [new Date(), new Date(Date.now() + day)];
      await strict.database.prisma.refreshToken.create({ data: { hash, sessionId, createdAt, expiresAt } });
      return token;
    }),
  );
  const answers = await Promise.all(tokens.map((token) => refresh(token, strict.url)));
  for (const token of [...tokens, ...Array<string>(5).fill(tokens[0]!)]) answers.push(await refresh(token, strict.url));
  expect(answers.flatMap(({ codes }) => codes)).toEqual([]);
  expect((await refresh('none', strict.url)).codes).toEqual(['INVALID_TOKEN']);
});
