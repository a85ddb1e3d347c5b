// The outbox: writes an event for every webhook that wants it, in the transaction of the change, with the jobs that deliver it.
import type { Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/newId.ts';
import { insertDeliveries, holdListeners } from './deliveriesStore.ts';
import { addDeliveryJobs } from './deliveryJobs.ts';
import { eventTypes, type WebhookEventName } from './webhookEvent.ts';

export interface WebhookMessage {
  applicationId: string;
  type: WebhookEventName;
  /**
   * The object that the event is about, for example `campaign:<id>`, at most 300 characters. Events with the same key are
   * delivered in the order in which they were written. Their writers must hold a lock in common, such as the object's row.
   */
  orderKey: string;
  /** The receiver gets it as JSON. */
  data: Record<string, unknown>;
  /** When it happened. Not in the future, or it would wait until then. */
  at: Date;
}

/** Call it before `audit`, which comes last. Without a webhook that wants the event it writes nothing. */
export async function enqueueWebhook(transaction: Transaction, message: WebhookMessage): Promise<void> {
  const { applicationId, type, orderKey, data, at } = message;
  const webhookIds = await holdListeners(transaction, { applicationId, type });
  if (webhookIds.length === 0) return;
  const body = JSON.stringify({ type: eventTypes[type], timestamp: at.toISOString(), data });
  const deliveries = webhookIds.map((webhookId) => ({ id: newId(), webhookId }));
  await insertDeliveries(transaction, deliveries, { type, orderKey, body, at });
  await addDeliveryJobs(transaction, webhookIds);
}
