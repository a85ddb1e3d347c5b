// query webhooks: the webhooks of an application, oldest first. Beside it what all operations on webhooks share.
import type { Pool } from 'pg';
import type { QueryWebhooksArgs } from '../../generated/graphql.ts';
import type { Prisma, PrismaClient, Webhook } from '../../generated/prisma/client.ts';
import { prepared } from '../platform/database/sql.ts';
import { type AdminTransaction, inRemovalTransaction, type PrismaModels } from '../platform/database/transaction.ts';
import { type ResponseBudget, withinBudget } from '../platform/responseBudget.ts';
import { assertOwnApplication, type Caller } from '../workspace/workspace.ts';

interface Needs {
  caller: Caller;
  prisma: PrismaClient;
  budget: ResponseBudget;
}

/** Throws `not_found`. */
export async function webhooks({ applicationId }: QueryWebhooksArgs, needs: Needs): Promise<WebhookRecord[]> {
  await assertOwnApplication(needs, applicationId);
  return withinBudget(needs.budget, () => findWebhooks(needs.prisma, { applicationId }));
}

/** The events by their names in the admin API, with the `type` that a receiver gets. */
export const eventTypes = {
  ENTITLEMENT_ACTIVATED: 'entitlement.activated',
  ENTITLEMENT_RENEWED: 'entitlement.renewed',
  ENTITLEMENT_EXPIRED: 'entitlement.expired',
  ENTITLEMENT_REVOKED: 'entitlement.revoked',
  ENTITLEMENT_TRANSFERRED: 'entitlement.transferred',
  CAMPAIGN_STATE_CHANGED: 'campaign.state_changed',
} as const;

export type WebhookEventName = keyof typeof eventTypes;

export interface WebhookRecord extends Omit<Webhook, 'events' | 'secretEncrypted'> {
  /** Null: all events. */
  events: WebhookEventName[] | null;
  /** How many events it has lost because too many deliveries waited. */
  droppedEvents: number;
  /** When it last lost one. */
  lastDroppedAt: Date | null;
}

/** GraphQL's Int. */
const mostCounted = 2_147_483_647;

/** Oldest first. */
export async function findWebhooks(prisma: PrismaModels, where: Prisma.WebhookWhereInput): Promise<WebhookRecord[]> {
  const rows = await prisma.webhook.findMany({
    where,
    omit: { secretEncrypted: true },
    include: { backlog: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  return rows.map(({ backlog, ...row }) => ({
    ...row,
    // Prisma reads NULL as an empty list, which no webhook has.
    events: row.events.length > 0 ? (row.events as WebhookEventName[]) : null,
    droppedEvents: Math.min(Number(backlog?.dropped ?? 0), mostCounted),
    lastDroppedAt: backlog?.lastDroppedAt ?? null,
  }));
}

/** SQL, because it locks. The webhook, or that of the delivery; null where the organization has none. */
export async function lockWebhook(
  transaction: AdminTransaction,
  {
    organizationId,
    id = null,
    deliveryId = null,
  }: { organizationId: string; id?: string | null; deliveryId?: string | null },
): Promise<WebhookRecord | null> {
  const { rows } = await transaction.query<{ id: string }>(prepared('lock_webhook')`/* webhooks: lockWebhook */
    SELECT w.id FROM webhooks w JOIN applications a ON a.id = w.application_id AND a.deleted_at IS NULL
      JOIN projects p ON p.id = a.project_id
    WHERE p.organization_id = ${organizationId} AND w.id = coalesce(${id}::uuid,
      (SELECT webhook_id FROM webhook_deliveries WHERE id = ${deliveryId}::uuid)) FOR UPDATE OF w`);
  const [webhook] = rows[0] ? await findWebhooks(transaction.prisma, { id: rows[0].id }) : [];
  return webhook ?? null;
}

const batchSize = 2_000;

/** Of a deleted application one batch of deliveries, and at the end the webhooks with their secrets; true when more may be left. */
export function removeWebhooks(pool: Pool, applicationId: string): Promise<boolean> {
  return inRemovalTransaction(pool, async (transaction) => {
    const { rowCount } = await transaction.query(prepared('remove_webhook_deliveries')`/* webhooks: removeDeliveries */
      DELETE FROM webhook_deliveries WHERE id IN (
        SELECT d.id FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
        WHERE w.application_id = ${applicationId} LIMIT ${batchSize})`);
    if (rowCount === batchSize) return true;
    await transaction.query(prepared('remove_webhooks')`/* webhooks: removeWebhooks */
      DELETE FROM webhooks WHERE application_id = ${applicationId}`);
    return false;
  });
}
