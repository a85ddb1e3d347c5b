// The job sendPasswordMail when a later mail of its kind overtakes it: only the later mail is sent.
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { askAdmin } from '../support/adminClient.ts';
import { eventually } from '../support/eventually.ts';
import { allJobsDone, mailsTo, startMailWorker } from '../support/mail.ts';
import { startMailServer } from '../support/mailServer.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let owner: TestUser;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  service = await startTestService();
  owner = await newUser(service, await newOrganization(service), 'owner');
});
afterEach(async () => {
  for (let close = closing.pop(); close; close = closing.pop()) await close();
});
afterAll(() => service.stop());

/** Accepts a first connection and stays silent until `letGo`; ends every further connection at once. */
async function startStuckServer() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (sockets.push(socket) > 1) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let ended: Promise<unknown> | null = null;
  const stop = () => (ended ??= new Promise((resolve) => server.close(resolve)));
  closing.push(() => (sockets[0]?.destroy(), stop()));
  const letGo = () => void sockets[0]!.destroy();
  return { port: (server.address() as AddressInfo).port, sockets, letGo, stop };
}

interface JobRow {
  mailId: string;
  attempt: number | null;
  running: boolean;
}
const jobs = async () =>
  (
    await service.database.pool.query<JobRow>(`
      SELECT payload ->> 'mailId' AS "mailId", (payload ->> 'attempt')::int AS attempt, locked_at IS NOT NULL AS running
      FROM graphile_worker._private_jobs`)
  ).rows;

const invite = async () => {
  const email = `new-${Date.now()}@example.com`;
  const query = `mutation { userInvite(input: { email: "${email}", role: "viewer" }) { email } }`;
  return { email, ask: () => owner.ask(query) };
};
const reset = async () => {
  const { email } = await newUser(service, owner.organizationId);
  const query = `mutation { resetPassword(input: { email: "${email}" }) }`;
  return { email, ask: () => askAdmin(service.url, { query }) };
};

test.each([
  ['an invitation', invite],
  ['a reset', reset],
])('%s that hangs and then fails does not take the place of a later one', async (_, asking) => {
  const stuck = await startStuckServer();
  closing.push(
    await startMailWorker(
      service,
      { smtpUrl: `smtp://127.0.0.1:${stuck.port}` },
      {
        mailBackoff: { firstMillis: 2_000, longestMillis: 2_000, attempts: 9 },
        smtpTimeLimits: { connectMillis: 60_000, silenceMillis: 60_000, mailMillis: 60_000 },
      },
    ),
  );
  const { email, ask } = await asking();
  expect((await ask()).errors).toEqual([]);
  await eventually(
    async () => stuck.sockets.length,
    (count) => count === 1,
  );
  const [first] = await jobs();
  expect((await ask()).errors).toEqual([]);
  const later = await eventually(jobs, (rows) => rows.some(({ attempt, running }) => attempt === 1 && !running));
  const second = later.find(({ attempt }) => attempt === 1)!;
  expect(second.mailId).not.toBe(first!.mailId);
  stuck.letGo();
  await eventually(jobs, (rows) => rows.every(({ running }) => !running));
  await stuck.stop();
  const server = await startMailServer({ port: stuck.port });
  closing.push(server.stop);
  await allJobsDone(service);
  const mails = await mailsTo(server, email);
  expect(mails.map(({ headers }) => headers['message-id'])).toEqual([`<${second.mailId}@example.com>`]);
  const variables = { input: { token: mails[0]!.token, newPassword: 'fine phrase', newPasswordRepeat: 'fine phrase' } };
  const query = 'mutation U($input: UpdatePasswordInput!) { updatePassword(input: $input) }';
  expect((await askAdmin(service.url, { query, variables })).data).toEqual({ updatePassword: true });
});
