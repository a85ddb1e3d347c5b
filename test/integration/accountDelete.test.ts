// mutation accountDelete: removes the account everywhere, and keeps its address in the audit log.
import { addOwner, logIn, password, signUp, type Account } from '../support/accounts.ts';
import { askAdmin } from '../support/adminClient.ts';
import { auditLines } from '../support/auditLines.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const remove = ({ url }: TestService, { token }: Account, secret = password) =>
  askAdmin(url, {
    query: 'mutation D($password: String!) { accountDelete(password: $password) }',
    variables: { password: secret },
    token,
  });

test('removes the account, its sessions and its memberships, and the address can sign up again', async () => {
  const account = await signUp(service);
  await addOwner(service, account.organization.id);
  expect((await remove(service, account)).data).toEqual({ accountDelete: true });
  expect((await askAdmin(service.url, { query: '{ me { role } }', token: account.token })).status).toBe(401);
  expect((await logIn(service, account.email)).codes).toEqual(['INVALID_CREDENTIALS']);
  const lines = await auditLines(service, account.organization.id);
  expect(lines.map(({ action, actor }) => [action, actor])).toEqual([
    ['signup', account.email],
    ['accountDelete', account.email],
  ]);
  expect((await signUp(service, account.email)).token).toBeTruthy();
});

test('the last owner of an organization cannot delete the account', async () => {
  const account = await signUp(service);
  const { errors } = await remove(service, account);
  expect(errors[0]!.extensions).toEqual({ code: 'CONFLICT', reason: 'last_owner' });
  expect((await logIn(service, account.email)).errors).toEqual([]);
});

test('a wrong password is INVALID_CREDENTIALS and counts as an attempt', async () => {
  await using strict = await startTestService({ attemptLimits: { perAccount: 2, perAddress: 99, windowSeconds: 900 } });
  const account = await signUp(strict);
  const codes = [];
  for (let time = 0; time < 3; time += 1) codes.push(...(await remove(strict, account, 'wrong')).codes);
  expect(codes).toEqual(['INVALID_CREDENTIALS', 'INVALID_CREDENTIALS', 'RATE_LIMITED']);
});
