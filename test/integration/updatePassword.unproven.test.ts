// mutation updatePassword for an account that a stranger may have made: the mailbox's owner gets it without the stranger's organizations.
import { accept, addOwner, invitationOf, logIn, setPassword, signUp, type Account } from '../support/accounts.ts';
import { askAdmin } from '../support/adminClient.ts';
import { auditLines } from '../support/auditLines.ts';
import { allJobsDone, mailsTo, newPasswordToken, startMailWorker } from '../support/mail.ts';
import { startMailServer, type MailServer, type ReadMail } from '../support/mailServer.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization } from '../support/testUsers.ts';

const own = 'the phrase of the mailbox';
let service: TestService;
let server: MailServer;
let stopWorker: () => Promise<void>;
let stranger: Account;
let accomplice: string;
beforeAll(async () => {
  [service, server] = await Promise.all([startTestService(), startMailServer()]);
  stopWorker = await startMailWorker(service, { smtpUrl: server.url });
});
afterAll(async () => {
  await stopWorker();
  await server.stop();
  await service.stop();
});
beforeEach(async () => {
  stranger = await signUp(service);
  accomplice = await addOwner(service, stranger.organization.id);
});

const membersOf = async (organizationId: string) => {
  const rows = await service.database.prisma.membership.findMany({
    where: { organizationId },
    include: { user: true },
    orderBy: { createdAt: 'asc' },
  });
  return rows.map(({ user, invitedEmail, status }) => [user?.email ?? invitedEmail, status]);
};

/** The mail that tells of the lost membership. Another one came at the sign-up. */
async function wayBack(): Promise<ReadMail> {
  const mails = await mailsTo(server, stranger.email, 2);
  return mails.find(({ text }) => text.includes('no longer belongs'))!;
}

test('a reset leaves the organization of the stranger, ends every session, and a mail tells of it', async () => {
  await setPassword(service, await newPasswordToken(service, stranger.email), own);
  expect((await askAdmin(service.url, { query: '{ me { role } }', token: stranger.token })).status).toBe(401);
  expect((await logIn(service, stranger.email)).codes).toEqual(['INVALID_CREDENTIALS']);
  expect((await logIn(service, stranger.email, own)).codes).toEqual(['NO_ORGANIZATION']);
  expect(await membersOf(stranger.organization.id)).toEqual([
    [stranger.email, 'invited'],
    [accomplice, 'active'],
  ]);
  await allJobsDone(service);
  const { text } = await wayBack();
  expect(text).toContain('\n  "Own"\n');
  const lines = await auditLines(service, stranger.organization.id);
  expect(lines.at(-1)).toMatchObject({ action: 'updatePassword', details: { left: true } });
});

test('the mail is the way back for whoever signed up themselves, with the same role', async () => {
  await setPassword(service, await newPasswordToken(service, stranger.email), own);
  const { token } = await wayBack();
  const challenge = (await logIn(service, stranger.email, own)).errors[0]!.extensions['challenge'];
  const { data } = await accept(service, { token, challenge });
  expect(data!['invitationAccept']).toMatchObject({
    user: { role: 'owner', emailVerified: true },
    organization: stranger.organization,
  });
});

test('while the organization has no owner, a further reset mails the way back again', async () => {
  const { prisma } = service.database;
  await prisma.membership.updateMany({ where: { user: { email: accomplice } }, data: { role: 'admin' } });
  await setPassword(service, await newPasswordToken(service, stranger.email), own);
  await wayBack();
  await allJobsDone(service);
  await prisma.passwordToken.updateMany({
    where: { membership: { invitedEmail: stranger.email } },
    data: { expiresAt: new Date(0) },
  });
  await setPassword(service, await newPasswordToken(service, stranger.email), own);
  const mails = await mailsTo(server, stranger.email, 3);
  await setPassword(service, mails.at(-1)!.token, own);
  expect((await logIn(service, stranger.email, own)).data).toMatchObject({
    login: { organization: stranger.organization },
  });
  await setPassword(service, await newPasswordToken(service, stranger.email), own);
  await allJobsDone(service);
  expect(await mailsTo(server, stranger.email, 3)).toHaveLength(3);
});

test("an invitation's token joins its organization, and leaves that of the stranger", async () => {
  const company = await newOrganization(service);
  await setPassword(service, await invitationOf(service, company, stranger.email), own);
  expect((await logIn(service, stranger.email, own)).data).toMatchObject({ login: { organization: { id: company } } });
  expect(await membersOf(company)).toEqual([[stranger.email, 'active']]);
  expect((await membersOf(stranger.organization.id))[0]).toEqual([stranger.email, 'invited']);
});

test('a membership in which the account is disabled stays disabled, and no longer is the account', async () => {
  const where = { user: { email: stranger.email } };
  await service.database.prisma.membership.updateMany({ where, data: { status: 'disabled' } });
  await setPassword(service, await newPasswordToken(service, stranger.email), own);
  expect((await membersOf(stranger.organization.id))[0]).toEqual([stranger.email, 'disabled']);
  expect(await service.database.prisma.membership.count({ where })).toBe(0);
});

test('an account that has confirmed its address keeps its memberships', async () => {
  const company = await newOrganization(service);
  const token = await invitationOf(service, company, stranger.email);
  await accept(service, { token }, stranger.token);
  await setPassword(service, await newPasswordToken(service, stranger.email), own);
  expect((await membersOf(stranger.organization.id))[0]).toEqual([stranger.email, 'active']);
  expect(await membersOf(company)).toEqual([[stranger.email, 'active']]);
});
