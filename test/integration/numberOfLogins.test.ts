// A user has a bounded number of logins, and a login a bounded number of refreshes (schema.graphql, "Sessions").
import { decodeJwt } from 'jose';
import { logIn, signUp, type Account } from '../support/accounts.ts';
import { askAdmin } from '../support/adminClient.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
let account: Account;
let now = new Date();
beforeAll(async () => {
  service = await startTestService({ now: () => now });
});
afterAll(() => service.stop());
beforeEach(async () => {
  account = await signUp(service);
});

const most = 100;
const minute = 60_000;
const pass = () => void (now = new Date(now.getTime() + minute));
const rows = () => service.database.prisma.loginSession.count({ where: { user: { email: account.email } } });
const isIn = async ({ token }: Pick<Account, 'token'>) =>
  (await askAdmin(service.url, { query: '{ me { email } }', token })).status === 200;
function askForSwitch() {
  const query = `mutation { organizationSwitch(id: "${account.organization.id}") { token refreshToken } }`;
  return askAdmin(service.url, { query, token: account.token });
}
async function switched(): Promise<Account> {
  const { data } = await askForSwitch();
  return data!['organizationSwitch'] as Account;
}
const refresh = (refreshToken: string) =>
  askAdmin(service.url, {
    query: 'mutation R($token: String!) { refreshToken(token: $token) { refreshToken } }',
    variables: { token: refreshToken },
  });

test('the login beyond 100 ends the one that was used least lately, with its tokens', async () => {
  const [unused, used] = [await switched(), await switched()];
  pass();
  while ((await rows()) < most) await switched();
  expect([await isIn(unused), await isIn(used), await isIn(account)]).toEqual([true, true, true]);
  // Looking at them was a use.
  const id = decodeJwt<{ sid: string }>(unused.token).sid;
  const lastUsedAt = new Date(now.getTime() - 5 * minute);
  await service.database.prisma.loginSession.update({ where: { id }, data: { lastUsedAt } });
  expect((await logIn(service, account.email)).errors).toEqual([]);
  expect(await rows()).toBe(most);
  expect([await isIn(unused), await isIn(used), await isIn(account)]).toEqual([false, true, true]);
  expect((await refresh(unused.refreshToken)).codes).toEqual(['INVALID_TOKEN']);
  expect((await refresh(used.refreshToken)).errors).toEqual([]);
});

test('switches and logouts without an end leave 100 rows, and ended logins go before live ones', async () => {
  const kept = await switched();
  pass();
  for (let turn = 0; turn < most + 20; turn += 1) {
    const { token } = await switched();
    await askAdmin(service.url, { query: 'mutation { logout }', token });
  }
  expect(await rows()).toBe(most);
  expect(await isIn(kept)).toBe(true);
});

test('many switches at once leave no more rows than one after the other, once the next login begins', async () => {
  const answers = await Promise.all(Array.from({ length: most + 30 }, askForSwitch));
  // On a busy machine the last ones come, or go on, when a hundred logins are newer than the one that asks. Of one user six
  // requests run at once and a hundred wait; further ones are refused.
  const codes = answers.flatMap((answer) => answer.codes);
  expect(codes.filter((code) => !['UNAUTHENTICATED', 'NOT_FOUND', 'UNAVAILABLE'].includes(String(code)))).toEqual([]);
  expect((await logIn(service, account.email)).errors).toEqual([]);
  expect(await rows()).toBe(most);
});

test('after 5,000 refreshes a login must be made anew, and no further token is stored', async () => {
  const put = (generation: number) =>
    service.database.prisma.refreshToken.updateMany({
      where: { session: { user: { email: account.email } } },
      data: { generation },
    });
  await put(4_999);
  const { data } = await refresh(account.refreshToken);
  const { refreshToken: last } = data!['refreshToken'] as { refreshToken: string };
  expect((await refresh(last)).codes).toEqual(['INVALID_TOKEN']);
  expect(await service.database.prisma.refreshToken.count({ where: { generation: { gt: 5_000 } } })).toBe(0);
  expect((await logIn(service, account.email)).errors).toEqual([]);
});
