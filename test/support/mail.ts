// Shared by the tests of mails: a worker between a service and a mail server or a folder, and tokens without mails.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EmailTokenPurpose, PasswordTokenPurpose } from '../../generated/prisma/client.ts';
import { expiryOf, openInvitationToken, openResetToken } from '../../src/accounts/mailedTokens.ts';
import { composeTasks, type TaskFoundation } from '../../src/compose/composeTasks.ts';
import { startWorker } from '../../src/jobs/worker.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/inputRules.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import type { Metrics } from '../../src/platform/observability/metrics.ts';
import { eventually } from './eventually.ts';
import { quickTiming } from './jobTiming.ts';
import { readMetrics, valueOf } from './metricsText.ts';
import { readMail, type MailServer, type ReadMail } from './mailServer.ts';
import type { TestService } from './testService.ts';
import type { TestUser } from './testUsers.ts';

/** The mail settings of a worker whose test needs no mail. */
export const mailConfig = {
  smtpUrl: undefined,
  mailFrom: 'Campaigns <no-reply@example.com>',
  dashboardUrl: 'https://dashboard.example.com/app',
  dataDir: path.join(tmpdir(), 'campaign-analytics-no-mail'),
  tokenKeys: [Buffer.alloc(32, 2)] as [Buffer],
};

export function newMailFolder(): string {
  return mkdtempSync(path.join(tmpdir(), 'campaign-analytics-mail-'));
}

export function startMailWorker(
  service: Pick<TestService, 'database' | 'deps'>,
  config: { smtpUrl?: string; dataDir?: string },
  foundation: Partial<TaskFoundation> = {},
): Promise<() => Promise<void>> {
  return startTasks(service, {
    config: {
      ...mailConfig,
      ...config,
      encryptionKeys: [Buffer.alloc(32, 1)] as [Buffer],
      storeRootCertificates: [],
      storeApiUrl: undefined,
      storeCallsPerSecond: 10,
    },
    mailBackoff: { firstMillis: 50, longestMillis: 200, attempts: 200 },
    now: service.deps.now,
    ...foundation,
  });
}

async function startTasks(
  { database }: Pick<TestService, 'database'>,
  foundation: Omit<TaskFoundation, 'database' | 'log'> & { log?: TaskFoundation['log'] },
): Promise<() => Promise<void>> {
  const log = foundation.log ?? createLog('silent');
  const tasks = await composeTasks({ ...foundation, database, log });
  return startWorker({ pool: database.pool, log, tasks, timing: quickTiming });
}

/** Waits until the queue has no job in any state. */
export async function allJobsDone({ database }: Pick<TestService, 'database'>): Promise<void> {
  await eventually(
    async () => (await database.pool.query('SELECT 1 FROM graphile_worker._private_jobs')).rowCount,
    (count) => count === 0,
  );
}

/** The mails to one address, once that many have arrived. */
export async function mailsTo({ mails }: MailServer, email: string, count = 1): Promise<ReadMail[]> {
  const found = await eventually(
    async () => mails.filter(({ to }) => to.includes(email)),
    (list) => list.length >= count,
  );
  return Promise.all(found.map(({ raw }) => readMail(raw)));
}

export async function mailCounts({ registry }: Metrics) {
  const families = readMetrics(await registry.metrics());
  const count = (outcome: string) => valueOf(families, 'password_mails_total', { outcome });
  return { sent: count('sent'), postponed: count('postponed'), given_up: count('given_up') };
}

/** A token in the form of a token in a mail. */
export async function newPasswordToken(
  { database, deps: { passwordTokens, now } }: TestService,
  email: string,
  purpose: PasswordTokenPurpose = 'reset',
): Promise<string> {
  const token = passwordTokens.tokenOf(newId());
  const hash = passwordTokens.hashOf(token);
  const opened = { hash, now: now(), expiresAt: expiryOf(purpose, now()) };
  if (purpose === 'reset') {
    if (!(await openResetToken(database.pool, { ...opened, email }))) throw new Error(`${email} has no account`);
    return token;
  }
  const { id } = await database.prisma.membership.findFirstOrThrow({ where: { invitedEmail: email } });
  await inTransaction(database.adminPool, (transaction) =>
    openInvitationToken(transaction, { ...opened, membershipId: id }),
  );
  return token;
}

/** A token like the one that a mail about an address contains. */
export async function newEmailToken(
  { database, deps: { passwordTokens, now } }: TestService,
  { id: userId }: Pick<TestUser, 'id'>,
  to: string | { email: string; purpose: EmailTokenPurpose },
): Promise<string> {
  const { email, purpose } = typeof to === 'string' ? { email: to, purpose: 'change' as const } : to;
  const token = passwordTokens.tokenOf(newId());
  const times = { createdAt: now(), expiresAt: expiryOf(purpose, now()) };
  const data = { hash: passwordTokens.hashOf(token), userId, purpose, email, ...times };
  await database.prisma.emailToken.create({ data });
  return token;
}
