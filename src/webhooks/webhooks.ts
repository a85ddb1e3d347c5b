// query webhooks: the webhooks of an application, oldest first.
import type { Pool } from 'pg';
import type { QueryWebhooksArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { prepared, sql, type SqlConnection } from '../platform/database/sql.ts';
import { inRemovalTransaction, type Transaction } from '../platform/database/transaction.ts';
import { type ResponseBudget, withinBudget } from '../platform/responseBudget.ts';
import { assertOwnApplication, type Caller } from '../workspace/workspace.ts';

interface Needs {
  caller: Caller;
  adminPool: Pool;
  prisma: PrismaClient;
  budget: ResponseBudget;
}

/** Throws `not_found`. */
export async function webhooks(
  { applicationId: id }: QueryWebhooksArgs,
  { caller, adminPool, prisma, budget }: Needs,
): Promise<WebhookRecord[]> {
  await assertOwnApplication({ caller, prisma }, id);
  return withinBudget(budget, () => findWebhooks(adminPool, id));
}

// The events of webhooks (pure): their names in the admin API, and the `type` that a receiver gets.

export const eventTypes = {
  ENTITLEMENT_ACTIVATED: 'entitlement.activated',
  ENTITLEMENT_RENEWED: 'entitlement.renewed',
  ENTITLEMENT_EXPIRED: 'entitlement.expired',
  ENTITLEMENT_REVOKED: 'entitlement.revoked',
  ENTITLEMENT_TRANSFERRED: 'entitlement.transferred',
  CAMPAIGN_STATE_CHANGED: 'campaign.state_changed',
} as const;

export type WebhookEventName = keyof typeof eventTypes;

// The SQL of webhooks: the addresses of an application's own server.

export interface WebhookRecord {
  id: string;
  applicationId: string;
  url: string;
  /** Null: all events. */
  events: WebhookEventName[] | null;
  enabled: boolean;
  /** A response with status 410 has disabled it. */
  gone: boolean;
  /** How many events it has lost because too many deliveries waited. */
  droppedEvents: number;
  /** When it last lost one. */
  lastDroppedAt: Date | null;
  createdAt: Date;
  createdBy: string;
  updatedAt: Date;
  updatedBy: string;
}

const columns = sql`w.id, w.application_id AS "applicationId", w.url, w.events, w.enabled, w.gone,
  coalesce((SELECT least(dropped, 2147483647) FROM webhook_backlogs x WHERE x.webhook_id = w.id), 0)::integer
    AS "droppedEvents", (SELECT last_dropped_at FROM webhook_backlogs x WHERE x.webhook_id = w.id) AS "lastDroppedAt",
  w.created_at AS "createdAt", w.created_by AS "createdBy", w.updated_at AS "updatedAt", w.updated_by AS "updatedBy"`;

/** With `p.organization_id`, to ask for one organization's own. */
const ownedWebhooks = sql`webhooks w JOIN applications a ON a.id = w.application_id AND a.deleted_at IS NULL
  JOIN projects p ON p.id = a.project_id`;

interface Own {
  organizationId: string;
  id: string;
}

/** Oldest first. */
export async function findWebhooks(connection: SqlConnection, applicationId: string): Promise<WebhookRecord[]> {
  const statement = prepared('find_webhooks')`/* webhooks: findWebhooks */
    SELECT ${columns} FROM webhooks w WHERE w.application_id = ${applicationId} ORDER BY w.created_at, w.id`;
  const { rows } = await connection.query<WebhookRecord>(statement);
  return rows;
}

/** Null where the organization has no such webhook. Locked until the transaction ends. */
export async function lockWebhook(
  transaction: Transaction,
  { organizationId, id }: Own,
): Promise<WebhookRecord | null> {
  const statement = prepared('lock_webhook')`/* webhooks: lockWebhook */
    SELECT ${columns} FROM ${ownedWebhooks}
    WHERE w.id = ${id} AND p.organization_id = ${organizationId} FOR UPDATE OF w`;
  const { rows } = await transaction.query<WebhookRecord>(statement);
  return rows[0] ?? null;
}

/** The application of a webhook of the organization, or null. */
export async function findApplicationOfWebhook(
  connection: SqlConnection,
  { organizationId, id }: Own,
): Promise<string | null> {
  const statement = prepared('find_application_of_webhook')`/* webhooks: findApplicationOfWebhook */
    SELECT w.application_id AS id FROM ${ownedWebhooks} WHERE w.id = ${id} AND p.organization_id = ${organizationId}`;
  const { rows } = await connection.query<{ id: string }>(statement);
  return rows[0]?.id ?? null;
}

/** The webhook of a delivery of the organization, or null. Locked until the transaction ends. */
export async function lockWebhookOfDelivery(
  transaction: Transaction,
  { organizationId, id }: Own,
): Promise<WebhookRecord | null> {
  const statement = prepared('lock_webhook_of_delivery')`/* webhooks: lockWebhookOfDelivery */
    SELECT ${columns} FROM ${ownedWebhooks} JOIN webhook_deliveries d ON d.webhook_id = w.id
    WHERE d.id = ${id} AND p.organization_id = ${organizationId} FOR UPDATE OF w`;
  const { rows } = await transaction.query<WebhookRecord>(statement);
  return rows[0] ?? null;
}

export async function insertWebhook(
  transaction: Transaction,
  webhook: WebhookRecord & { secretEncrypted: Uint8Array },
): Promise<void> {
  const { id, applicationId, url, events, enabled, createdAt, createdBy } = webhook;
  await transaction.query(prepared('insert_webhook')`/* webhooks: insertWebhook */
    INSERT INTO webhooks
      (id, application_id, url, events, enabled, secret_encrypted, created_at, created_by, updated_at, updated_by)
    VALUES (${id}, ${applicationId}, ${url}, ${events}::text[], ${enabled}, ${Buffer.from(webhook.secretEncrypted)},
      ${createdAt}, ${createdBy}, ${createdAt}, ${createdBy})`);
}

/** A null secret stays as it is. */
export async function updateWebhook(
  transaction: Transaction,
  webhook: WebhookRecord & { secretEncrypted: Uint8Array | null },
): Promise<void> {
  const { id, url, events, enabled, gone, updatedAt, updatedBy, secretEncrypted } = webhook;
  const secret = secretEncrypted && Buffer.from(secretEncrypted);
  await transaction.query(prepared('update_webhook')`/* webhooks: updateWebhook */
    UPDATE webhooks SET url = ${url}, events = ${events}::text[], enabled = ${enabled}, gone = ${gone},
      updated_at = ${updatedAt}, updated_by = ${updatedBy}, secret_encrypted = coalesce(${secret}, secret_encrypted)
    WHERE id = ${id}`);
}

/** Deletes its deliveries too. */
export async function deleteWebhook(transaction: Transaction, id: string): Promise<void> {
  await transaction.query(
    prepared('delete_webhook')`/* webhooks: deleteWebhook */ DELETE FROM webhooks WHERE id = ${id}`,
  );
}

/** Disables it for a status 410. False when it is disabled already. */
export async function markWebhookGone(transaction: Transaction, id: string): Promise<boolean> {
  const { rowCount } = await transaction.query(prepared('mark_webhook_gone')`/* webhooks: markWebhookGone */
    UPDATE webhooks SET enabled = false, gone = true WHERE id = ${id} AND enabled`);
  return rowCount === 1;
}

export interface WebhookOwners {
  webhookId: string;
  applicationId: string;
  organizationId: string;
}

/** Those that exist, in the order of their ids. */
export async function findOwnersOfWebhooks(
  connection: SqlConnection,
  webhookIds: readonly string[],
): Promise<WebhookOwners[]> {
  const statement = prepared('find_owners_of_webhooks')`/* webhooks: findOwnersOfWebhooks */
    SELECT w.id AS "webhookId", w.application_id AS "applicationId", p.organization_id AS "organizationId"
    FROM webhooks w JOIN applications a ON a.id = w.application_id JOIN projects p ON p.id = a.project_id
    WHERE w.id = ANY(${webhookIds}::uuid[]) ORDER BY w.id`;
  const { rows } = await connection.query<WebhookOwners>(statement);
  return rows;
}

export interface WebhookTarget {
  organizationId: string;
  url: string;
  secretEncrypted: Buffer;
}

/** Null when the webhook is disabled or deleted, or its application is. */
export async function findWebhookTarget(connection: SqlConnection, id: string): Promise<WebhookTarget | null> {
  const statement = prepared('find_webhook_target')`/* webhooks: findWebhookTarget */
    SELECT p.organization_id AS "organizationId", w.url, w.secret_encrypted AS "secretEncrypted"
    FROM ${ownedWebhooks} WHERE w.id = ${id} AND w.enabled`;
  const { rows } = await connection.query<WebhookTarget>(statement);
  return rows[0] ?? null;
}

// The SQL that removes the webhooks of a deleted application.

const batchSize = 2_000;

/** Removes one batch of deliveries, and at the end the webhooks with their secrets; true when more may be left. */
export function removeWebhooks(pool: Pool, applicationId: string): Promise<boolean> {
  return inRemovalTransaction(pool, async (transaction) => {
    const deliveries = prepared('remove_webhook_deliveries')`/* webhooks: removeWebhookDeliveries */
      DELETE FROM webhook_deliveries WHERE id IN (
        SELECT d.id FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
        WHERE w.application_id = ${applicationId} LIMIT ${batchSize})`;
    const { rowCount } = await transaction.query(deliveries);
    if (rowCount === batchSize) return true;
    await transaction.query(prepared('remove_webhooks')`/* webhooks: removeWebhooks */
      DELETE FROM webhooks WHERE application_id = ${applicationId}`);
    return false;
  });
}
