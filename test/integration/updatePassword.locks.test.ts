// mutation updatePassword with an invitation, for an account that leaves an organization by it: two at once do not wait for each other.
import { invitationOf, setPassword, signUp } from '../support/accounts.ts';
import { holdLock } from '../support/heldLock.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('two unconfirmed owners who join the organization of each other both succeed', async () => {
  const [one, other] = [await signUp(service), await signUp(service)];
  const tokens = [
    await invitationOf(service, other.organization.id, one.email),
    await invitationOf(service, one.organization.id, other.email),
  ];
  const lock = await holdLock(service.database.pool, 'LOCK TABLE password_tokens IN SHARE MODE');
  const answers = tokens.map((token) => setPassword(service, token));
  await lock.waiting(2);
  await lock.release();
  expect((await Promise.all(answers)).map(({ data }) => data)).toEqual([
    { updatePassword: true },
    { updatePassword: true },
  ]);
  for (const [joined, left] of [
    [other, one],
    [one, other],
  ]) {
    const where = { organizationId: joined!.organization.id, status: 'active' } as const;
    const members = await service.database.prisma.membership.findMany({ where, include: { user: true } });
    expect(members.map(({ user }) => user!.email)).toEqual([left!.email]);
  }
});
