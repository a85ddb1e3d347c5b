// The job sendPasswordMail: through every fault of the mail server, and overtaken by a later mail.
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { pino } from 'pino';
import { defaultMailBackoff, type PasswordMailJob } from '../../src/accounts/mails.ts';
import { createTasks, type TaskDeps } from '../../src/jobs/tasks.ts';
import { newId } from '../../src/platform/inputRules.ts';
import { createMetrics } from '../../src/platform/observability/metrics.ts';
import { askAdmin } from '../support/adminClient.ts';
import { eventually } from '../support/eventually.ts';
import { allJobsDone, mailConfig, mailCounts, mailsTo, newMailFolder, startMailWorker } from '../support/mail.ts';
import { type MailServerSettings, readMail, startMailServer } from '../support/mailServer.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

// The job sendPasswordMail: one mail by SMTP through every fault of the mail server, or a file that can be opened.
describe('sendPasswordMail', () => {
  const minute = 60_000;
  let service: TestService;
  let user: TestUser;
  let now: Date;
  const closing: (() => unknown)[] = [];
  beforeAll(async () => {
    now = new Date();
    service = await startTestService({ now: () => now });
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    now = new Date();
    user = await newUser(service, await newOrganization(service));
  });
  afterEach(async () => {
    for (let close = closing.pop(); close; close = closing.pop()) await close();
    await service.database.pool.query('DELETE FROM graphile_worker._private_jobs');
  });

  const reset = () => askAdmin(service.url, { query: `mutation { resetPassword(input: { email: "${user.email}" }) }` });
  async function codeOfUpdate(token: string): Promise<string> {
    const query = 'mutation U($input: UpdatePasswordInput!) { updatePassword(input: $input) }';
    const variables = { input: { token, newPassword: 'a fine phrase', newPasswordRepeat: 'a fine phrase' } };
    return (await askAdmin(service.url, { query, variables })).codes[0] ?? 'OK';
  }
  async function mailServer(settings?: MailServerSettings) {
    const server = await startMailServer(settings);
    closing.push(server.stop);
    return server;
  }
  async function worker(...[config, foundation]: [{ smtpUrl?: string; dataDir?: string }, object?]) {
    const stop = await startMailWorker(service, config, foundation);
    closing.push(stop);
    return stop;
  }
  /** For servers that fall silent. The others respond in their time, also on a busy machine. */
  const impatient = { smtpTimeLimits: { connectMillis: 500, silenceMillis: 2_000, mailMillis: 2_500 } };
  const once = { ...impatient, mailBackoff: { firstMillis: minute, longestMillis: minute, attempts: 200 } };
  interface JobRow {
    payload: PasswordMailJob;
    attempts: number;
  }
  const jobs = async () =>
    (await service.database.pool.query<JobRow>('SELECT payload, attempts FROM graphile_worker._private_jobs')).rows;
  const againNow = () => service.database.pool.query('UPDATE graphile_worker._private_jobs SET run_at = now()');
  const failedTimes = (times: number) => eventually(jobs, ([job]) => (job?.payload.attempt ?? 0) >= times);

  /** The lines of the log, as objects. */
  function keptLog() {
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    return { lines, log: pino({ level: 'trace' }, { write }) };
  }

  test('the 30 minutes begin when the mail goes out, however long the mail server was away', async () => {
    const { port, url, stop } = await startMailServer();
    await stop();
    const stopWorker = await worker({ smtpUrl: url });
    await reset();
    await failedTimes(2);
    await stopWorker();
    now = new Date(now.getTime() + 60 * minute);
    const server = await mailServer({ port });
    await worker({ smtpUrl: url });
    const [mail] = await mailsTo(server, user.email);
    now = new Date(now.getTime() + 29 * minute);
    expect(await codeOfUpdate(mail!.token)).toBe('OK');
  });

  test('a job that runs again after its mail was sent sends nothing', async () => {
    const server = await mailServer();
    const stop = await worker({ smtpUrl: server.url });
    await reset();
    await mailsTo(server, user.email);
    await allJobsDone(service);
    await stop();
    await reset();
    const [job] = await jobs();
    await worker({ smtpUrl: server.url });
    await allJobsDone(service);
    await service.database.pool.query(`SELECT graphile_worker.add_job('sendPasswordMail', $1)`, [job!.payload]);
    await allJobsDone(service);
    expect(await mailsTo(server, user.email)).toHaveLength(2);
  });

  test('when the reply is lost the mail comes again: the same one, with one Message-ID and one token', async () => {
    const server = await mailServer({ replies: (count) => count > 1 });
    const stop = await worker({ smtpUrl: server.url }, once);
    await reset();
    await failedTimes(1);
    await stop();
    await againNow();
    // One that waits for its reply, however busy the machine is.
    await worker({ smtpUrl: server.url });
    const mails = await mailsTo(server, user.email, 2);
    await allJobsDone(service);
    expect(server.mails).toHaveLength(2);
    expect(server.mails[0]!.raw).toBe(server.mails[1]!.raw);
    expect(mails[0]!.headers['message-id']).toMatch(/^<[0-9a-f-]{36}@example\.com>$/);
    expect(await codeOfUpdate(mails[0]!.token)).toBe('OK');
    expect(await codeOfUpdate(mails[1]!.token)).toBe('INVALID_TOKEN');
  });

  test('a token that was used while its mail waits to come again stays used', async () => {
    const server = await mailServer({ replies: () => false });
    await worker({ smtpUrl: server.url }, once);
    await reset();
    const [mail] = await mailsTo(server, user.email);
    await failedTimes(1);
    expect(await codeOfUpdate(mail!.token)).toBe('OK');
    await againNow();
    await allJobsDone(service);
    expect(server.mails).toHaveLength(1);
    expect(await codeOfUpdate(mail!.token)).toBe('INVALID_TOKEN');
  });

  test('a server that accepts and says nothing is left within the time limit', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    closing.push(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => silent.close(resolve));
    });
    const { lines, log } = keptLog();
    await worker({ smtpUrl: `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}` }, { log, ...impatient });
    await reset();
    let least = Infinity;
    // The service's own limit is ten seconds. Of several attempts, because the machine may pause during one.
    for (let times = 1; times <= 4 && least >= 9_000; times += 1) {
      const begun = Date.now();
      await failedTimes(times);
      least = Math.min(least, Date.now() - begun);
    }
    expect(least).toBeLessThan(9_000);
    expect(lines.find((line) => line.includes('will be tried again'))).toContain('"code":"ETIMEDOUT"');
  });

  test('a server that never comes to an end is left within the time limit, too', async () => {
    const endless = createServer((socket) => {
      socket.write('220 mail.example\r\n');
      const saying = setInterval(() => socket.write('250-and more\r\n'), 100);
      socket.resume().on('error', () => undefined);
      socket.on('close', () => clearInterval(saying));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => endless.once('listening', resolve));
    closing.push(() => new Promise((resolve) => endless.close(resolve)));
    // Of a second attempt the end would be waited for, too.
    await worker({ smtpUrl: `smtp://127.0.0.1:${(endless.address() as AddressInfo).port}` }, once);
    await reset();
    // Within the patience of the look. The service's own limit is a minute.
    await failedTimes(1);
  });

  test('a mail that our own shutdown cuts off costs no attempt', async () => {
    const shutdown = new AbortController();
    const sendMail = () => {
      shutdown.abort();
      return Promise.reject(new Error('the connection was cut'));
    };
    const { deps, database } = service;
    const { mailEnded } = deps.metrics;
    const own = { sendMail, mailEnded, mailBackoff: defaultMailBackoff, dashboardUrl: mailConfig.dashboardUrl };
    const job = { mailId: newId(), purpose: 'reset', email: user.email } as const;
    const tasks = createTasks({ ...deps, ...own, pool: database.pool } as unknown as TaskDeps);
    const sending = tasks.sendPasswordMail(job, { abortSignal: shutdown.signal, job: {} as never });
    await expect(sending).rejects.toThrow('aborted');
    expect(await jobs()).toEqual([]);
  });

  test.each([
    ['refuses the recipient for good', { refuseRecipients: 550 }, 1],
    ['refuses the recipient for now', { refuseRecipients: 450 }, 3],
  ])('a server that %s', async (_, settings, attempts) => {
    const server = await mailServer(settings);
    const { lines, log } = keptLog();
    const metrics = createMetrics();
    const mailBackoff = { firstMillis: 20, longestMillis: 20, attempts: 3 };
    await worker({ smtpUrl: server.url }, { log, metrics, mailBackoff });
    await reset();
    const gaveUp = async () => lines.find((line) => line.includes('a mail was given up')) ?? '';
    const line = JSON.parse(await eventually(gaveUp, (text) => text !== '')) as object;
    expect(line).toMatchObject({ attempt: attempts, responseCode: settings.refuseRecipients, command: 'RCPT TO' });
    await allJobsDone(service);
    expect(lines.join('')).not.toContain(user.email);
    expect(await mailCounts(metrics)).toEqual({ sent: 0, postponed: attempts - 1, given_up: 1 });
  });

  test('logs in where the server asks for it, and comes again when the login is refused', async () => {
    const credentials = { user: 'service', pass: 'p@ss:wörd/' };
    const server = await mailServer({ credentials });
    const metrics = createMetrics();
    const wrong = await worker({ smtpUrl: server.url.replace('service:', 'nobody:') });
    await reset();
    await failedTimes(2);
    await wrong();
    const right = await worker({ smtpUrl: server.url }, { metrics });
    expect(await mailsTo(server, user.email)).toHaveLength(1);
    await allJobsDone(service);
    await right();
    expect(await mailCounts(metrics)).toEqual({ sent: 1, postponed: 0, given_up: 0 });
  });

  test('a server that offers TLS with a certificate of its own making gets nothing', async () => {
    const server = await mailServer({ offersTls: true });
    const { lines, log } = keptLog();
    await worker({ smtpUrl: server.url }, { log });
    await reset();
    await failedTimes(2);
    expect(server.mails).toEqual([]);
    expect(lines.join('')).toContain('will be tried again');
  });

  test('without a mail server each mail is a file in the data folder, that a mail program opens and nobody else may', async () => {
    const dataDir = newMailFolder();
    closing.push(() => rmSync(dataDir, { recursive: true }));
    await worker({ dataDir });
    await reset();
    await allJobsDone(service);
    await reset();
    await allJobsDone(service);
    const folder = path.join(dataDir, 'mail');
    const all = readdirSync(folder).sort();
    const files = all.filter((name) => name.endsWith('.eml'));
    expect(files).toEqual([expect.stringMatching(/^[0-9a-f-]{36}\.eml$/), expect.stringMatching(/\.eml$/)]);
    expect(all).toEqual(files.flatMap((name) => [name, name.replace('.eml', '.txt')]));
    const modes = [folder, ...all.map((name) => path.join(folder, name))].map((name) => statSync(name).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o600, 0o600]);
    const mail = await readMail(readFileSync(path.join(folder, files[0]!), 'utf8'));
    expect(mail.headers).toMatchObject({ to: user.email, 'message-id': `<${files[0]!.slice(0, -4)}@example.com>` });
    expect(mail.link.href).toBe(`https://dashboard.example.com/app/reset-password?token=${mail.token}`);
    expect(readFileSync(path.join(folder, all[1]!), 'utf8')).toContain(mail.link.href);
    expect(await codeOfUpdate(mail.token)).toBe('OK');
  });
});

// The job sendPasswordMail when a later mail of its kind overtakes it: only the later mail is sent.
describe('sendPasswordMail: latest', () => {
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
    const variables = {
      input: { token: mails[0]!.token, newPassword: 'fine phrase', newPasswordRepeat: 'fine phrase' },
    };
    const query = 'mutation U($input: UpdatePasswordInput!) { updatePassword(input: $input) }';
    expect((await askAdmin(service.url, { query, variables })).data).toEqual({ updatePassword: true });
  });
});
