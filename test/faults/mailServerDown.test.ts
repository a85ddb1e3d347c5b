// The mail server is down while mails are requested: afterwards each mail is sent once, and its token is valid.
import { askAdmin } from '../support/adminClient.ts';
import { eventually } from '../support/eventually.ts';
import { allJobsDone, mailsTo, startMailWorker } from '../support/mail.ts';
import { startMailServer } from '../support/mailServer.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { testFault } from './support/scenario.ts';

const mailsAtOnce = 5;
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

async function reset(email: string): Promise<void> {
  const query = `mutation { resetPassword(input: { email: "${email}" }) }`;
  expect((await askAdmin(service.url, { query })).data).toEqual({ resetPassword: true });
}

async function codeOfUpdate(token: string): Promise<string> {
  const query = 'mutation U($input: UpdatePasswordInput!) { updatePassword(input: $input) }';
  const variables = { input: { token, newPassword: 'a fine phrase', newPasswordRepeat: 'a fine phrase' } };
  return (await askAdmin(service.url, { query, variables })).codes[0] ?? 'OK';
}

/** Waits until every job has failed at least three times. */
const failedThrice = () =>
  eventually(
    async () =>
      (
        await service.database.pool.query<{ attempt: number }>(
          "SELECT (payload ->> 'attempt')::int AS attempt FROM graphile_worker._private_jobs",
        )
      ).rows,
    (rows) => rows.length === mailsAtOnce && rows.every(({ attempt }) => attempt >= 3),
  );

testFault({
  name: 'SMTP server down: mails',
  times: { short: 1, long: 20 },
  async run({ times, injected, add }) {
    const { port, url, stop } = await startMailServer();
    await stop();
    // A reply after the worker's timeout would send the mail twice, which this test does not cover.
    const smtpTimeLimits = { connectMillis: 2_000, silenceMillis: 15_000, mailMillis: 30_000 };
    const stopWorker = await startMailWorker(service, { smtpUrl: url }, { smtpTimeLimits });
    try {
      for (let down = 0; down < times; down++) {
        const organization = await newOrganization(service);
        const users = await Promise.all(Array.from({ length: mailsAtOnce }, () => newUser(service, organization)));
        for (const { email } of users) await reset(email);
        await failedThrice();
        injected();
        const server = await startMailServer({ port });
        for (const { email } of users) {
          const [mail] = await mailsTo(server, email);
          expect(await codeOfUpdate(mail!.token)).toBe('OK');
        }
        await allJobsDone(service);
        await new Promise((resolve) => setTimeout(resolve, 500));
        await server.stop();
        expect(server.mails.every(({ from }) => from === 'no-reply@example.com')).toBe(true);
        const copies = users.map(({ email }) => server.mails.filter(({ to }) => to.includes(email)).length);
        add({
          acknowledged: mailsAtOnce,
          lost: copies.filter((count) => count === 0).length,
          doubled: copies.reduce((sum, count) => sum + Math.max(0, count - 1), 0),
          neverSent: server.mails.length - copies.reduce((sum, count) => sum + count, 0),
        });
      }
    } finally {
      await stopWorker();
    }
  },
});
