// Shared by the tests of the removal: an application with rows in every table, and a count of the rows that remain.
import { randomUUID } from 'node:crypto';
import { removeApplication } from '../../src/jobs/removeApplication.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { takeCallSlot } from '../../src/purchases/callSlotsStore.ts';
import { saveStoreCredentials } from '../../src/purchases/storeCredentials.ts';
import { keepNotification } from '../../src/purchases/keepNotification.ts';
import { addReads } from '../../src/purchases/readNotifications.ts';
import type { StoreStatement } from '../../src/purchases/storeStatement.ts';
import { settleUses } from '../../src/quotas/quotasStore.ts';
import { removalKey } from '../../src/workspace/removal.ts';
import { storeCampaign } from './campaigns.ts';
import { newAccount } from './fakeStore.ts';
import { signedPurchase } from './signedPurchase.ts';
import { storeWebhook } from './webhooks.ts';
import type { TestService } from './testService.ts';
import type { TestApplication } from './testWorkspace.ts';
import { anEvent, aReport, aSession, json, signedHeaders } from './uploads.ts';

export const minute = 60_000;

/** Tables in which a removed application may keep rows, with the reason. */
export const besides = {
  api_keys: 'public keys stay, without their secrets, so that nobody else ever gets one',
  nonces: 'gone 15 minutes after their upload, whosever they are',
};

export async function fillApplication(
  service: TestService,
  application: TestApplication,
): Promise<{ campaign: string }> {
  const { client, database } = service;
  const { pool, prisma } = database;
  const campaign = await storeCampaign({ database, application });
  const shown = anEvent({
    type: 'system',
    name: 'CampaignShown',
    params: [{ name: 'campaignId', value: campaign.id }],
  });
  const report = aReport({ sessions: [aSession({ events: [shown, anEvent()] }), aSession()] });
  await client.send('reportSessions', signedHeaders(application.key, json(report)), json(report));
  const headers = { 'X-Api-Key': application.key.public };
  // A device that sends only an attribution or a transaction has no row of its own.
  const attribution = {
    device: { id: randomUUID() },
    system: { os_version: '18' },
    attribution: { provider_a: { a: 1 } },
  };
  await client.send('reportAttribution', headers, attribution);
  const id = randomUUID();
  await client.send('reportStoreTransactions', headers, { device: { id: randomUUID() }, transactions: [{ id }] });
  await prisma.analyticsFirst.create({
    data: { applicationId: application.id, kind: 'U', unit: 'user', name: '', system: false, at: 0 },
  });
  const [signedAt, kind] = [new Date(), 'AUTO_RENEWABLE'] as const;
  const renewal = { lineId: id, autoRenew: true, inBillingRetry: false, graceExpiresAt: null, signedAt };
  const statement: StoreStatement = {
    ...{ applicationId: application.id, environment: 'SANDBOX', renewals: [renewal] },
    transactions: [{ ...signedPurchase(id), kind }],
  };
  const notification = { ...statement, id: randomUUID(), type: 'TEST', subtype: null, signedAt };
  const arrival = { applicationId: application.id, notification, fetched: false, now: signedAt };
  await inTransaction(pool, (transaction) => keepNotification(transaction, arrival));
  await takeCallSlot(pool, {
    applicationId: application.id,
    perSecond: 1,
    patienceMillis: 0,
    queued: false,
    behind: false,
  });
  await prisma.campaignVersion.create({
    data: { campaignId: campaign.id, version: 1, delivered: {}, publishedAt: new Date() },
  });
  const credentials = { ...newAccount(), bundleId: null };
  const change = { applicationId: application.id, credentials };
  await inTransaction(service.database.adminPool, (transaction) =>
    saveStoreCredentials(transaction, createEncryption(Buffer.alloc(32, 1)), change),
  );
  await addReads(pool, signedAt);
  await storeWebhook(service, application.id);
  service.deps.issues.note({
    ...{ applicationId: application.id, operation: 'reportSessions', sdkVersion: 1, appVersion: 1, at: new Date() },
    faults: [{ status: 422, reason: 'type', path: 'user', message: 'must be object' }],
  });
  await service.deps.issues.flush();
  const use = { operation: 'reportAttribution', bytes: 1, devices: 1, refused: 0 } as const;
  await settleUses(pool, [{ ...use, applicationId: application.id }]);
  return { campaign: campaign.id };
}

/** Counts the rows of every table with a column `application_id`; the catalog names the tables. */
export async function rowsOf(
  { database: { pool } }: TestService,
  applicationId: string,
): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'application_id'
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of rows) {
    const counted = await pool.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM "${name}" WHERE application_id = $1`,
      [applicationId],
    );
    counts[name] = counted.rows[0]!.count;
  }
  return counts;
}

export async function leftOf(service: TestService, applicationId: string): Promise<Record<string, number>> {
  const counts = Object.entries(await rowsOf(service, applicationId));
  return Object.fromEntries(counts.filter(([name, count]) => count > 0 && !(name in besides)));
}

/** Runs the job as if that many milliseconds had passed since the deletion. */
export async function lookAfter(
  { database: { pool, prisma }, deps: { log } }: TestService,
  applicationId: string,
  millis: number,
): Promise<void> {
  const { deletedAt } = await prisma.application.findUniqueOrThrow({ where: { id: applicationId } });
  const now = () => new Date(deletedAt!.getTime() + millis);
  await removeApplication({ applicationId }, { pool, log, now }, new AbortController().signal);
}

/** The time of the job's next run in milliseconds after the deletion; null if the queue has no such job. */
export async function nextLook({ database }: TestService, applicationId: string): Promise<number | null> {
  const { deletedAt } = await database.prisma.application.findUniqueOrThrow({ where: { id: applicationId } });
  const { rows } = await database.pool.query<{ run_at: Date }>(
    'SELECT run_at FROM graphile_worker.jobs WHERE key = $1',
    [removalKey(applicationId)],
  );
  return rows[0] ? rows[0].run_at.getTime() - deletedAt!.getTime() : null;
}
