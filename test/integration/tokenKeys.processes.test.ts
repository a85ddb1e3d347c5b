// While TOKEN_KEY changes, processes with different key orders issue the same refresh tokens and mail the same links.
import { createRefreshTokens, type RefreshTokens } from '../../src/accounts/refreshTokens.ts';
import { createPasswordTokens } from '../../src/accounts/passwordTokens.ts';
import { sendPasswordMail, type PasswordMailDeps } from '../../src/accounts/sendPasswordMail.ts';
import { newId } from '../../src/platform/newId.ts';
import { askAdmin } from '../support/adminClient.ts';
import { testKey } from '../support/keys.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

const [old, next] = [testKey('old'), testKey('next')];
let tokens: RefreshTokens;
let service: TestService;
let user: TestUser;
beforeAll(async () => {
  const refreshTokens: RefreshTokens = {
    first: () => tokens.first(),
    successorOf: (token) => tokens.successorOf(token),
    otherSuccessorsOf: (token) => tokens.otherSuccessorsOf(token),
    hashOf: (token) => tokens.hashOf(token),
  };
  service = await startTestService({ change: (deps) => ({ ...deps, refreshTokens }) });
  user = await newUser(service, await newOrganization(service));
});
afterAll(() => service.stop());

async function refresh(token: string, ...keys: [Buffer, ...Buffer[]]): Promise<string> {
  tokens = createRefreshTokens(...keys);
  const query = 'mutation R($token: String!) { refreshToken(token: $token) { refreshToken } }';
  const { data, text } = await askAdmin(service.url, { query, variables: { token } });
  if (!data) throw new Error(text);
  return (data['refreshToken'] as { refreshToken: string }).refreshToken;
}

test.each([
  ['that uses the new key already', [next, old]],
  ['that uses the old key still', [old, next]],
] as [string, [Buffer, Buffer]][])('a second tab gets the same successor from a process %s', async (_, keys) => {
  const [current, other] = keys;
  tokens = createRefreshTokens(current);
  const first = tokens.first();
  const { sessionId } = user;
  const hash = Uint8Array.from(tokens.hashOf(first));
  const createdAt = new Date();
  const expiresAt = new Date(Date.now() + 3_600_000);
  await service.database.prisma.refreshToken.create({ data: { hash, sessionId, createdAt, expiresAt } });
  const successor = await refresh(first, other, current);
  expect(await refresh(first, current, other)).toBe(successor);
  expect(await refresh(first, other, current)).toBe(successor);
  // From then on, each process uses its own key.
  expect(await refresh(successor, current)).not.toBe(successor);
});

test('a mail that is tried again under the new key carries the same token, and one that went out is not sent again', async () => {
  const mailed: string[] = [];
  let away = true;
  const sendMail = async ({ text }: { text: string }): Promise<void> => {
    mailed.push(/token=(\S+)/.exec(text)![1]!);
    if (away) throw new Error('the mail server is away');
  };
  const depsWith = (...keys: [Buffer, ...Buffer[]]) =>
    ({
      pool: service.database.pool,
      log: service.deps.log,
      passwordTokens: createPasswordTokens(...keys),
      sendMail,
      dashboardUrl: 'https://dashboard.example.com',
      mailBackoff: { firstMillis: 1_000, longestMillis: 1_000, attempts: 5 },
      mailEnded: () => undefined,
      now: () => new Date(),
    }) satisfies PasswordMailDeps;
  const job = { mailId: newId(), purpose: 'reset' as const, email: user.email };
  const { signal } = new AbortController();
  await sendPasswordMail(job, depsWith(old), signal);
  away = false;
  await sendPasswordMail(job, depsWith(next, old), signal);
  await sendPasswordMail(job, depsWith(next, old), signal);
  expect(mailed).toHaveLength(2);
  expect(new Set(mailed).size).toBe(1);
});
