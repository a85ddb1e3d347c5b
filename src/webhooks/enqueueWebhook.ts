// The outbox: writes an event for every webhook that wants it, in the transaction of the change, with the jobs that deliver it.
import type { Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/newId.ts';
import { holdListeners, insertDeliveries, noteDropped, type Listener } from './deliveriesStore.ts';
import { addDeliveryJobs } from './deliveryJobs.ts';
import { eventTypes, type WebhookEventName } from './webhookEvent.ts';

interface MessageHead {
  type: WebhookEventName;
  /**
   * The object that the event is about, for example `campaign:<id>`, at most 300 characters. Events with the same key are
   * delivered in the order in which they were written. Their writers must hold a lock in common, such as the object's row.
   */
  orderKey: string;
  /** When it happened. Not in the future, or it would wait until then. */
  at: Date;
}

export interface WebhookMessage extends MessageHead {
  applicationId: string;
  /** The receiver gets it as JSON. */
  data: object;
}

/** Events whose data is read only where a webhook wants them. */
export interface WebhookMessages<Head extends MessageHead> {
  applicationId: string;
  /** In their order. */
  messages: Head[];
  /** In the order of the messages that it gets. */
  dataOf(wanted: Head[]): Promise<object[]>;
}

/**
 * Call it before `audit`, which comes last. Without a webhook that wants the event it writes nothing. Returns how many
 * deliveries it has written.
 */
export async function enqueueWebhook(
  transaction: Transaction,
  { applicationId, data, ...message }: WebhookMessage,
): Promise<number> {
  return enqueueWebhooks(transaction, { applicationId, messages: [message], dataOf: async () => [data] });
}

/** The same for several events, with as many statements as for one. */
export async function enqueueWebhooks<Head extends MessageHead>(
  transaction: Transaction,
  { applicationId, messages, dataOf }: WebhookMessages<Head>,
): Promise<number> {
  if (messages.length === 0) return 0;
  const types = [...new Set(messages.map(({ type }) => type))];
  const listeners = await holdListeners(transaction, { applicationId, types });
  const { wanted, dropped } = shareOut(messages, listeners);
  const data = wanted.length > 0 ? await dataOf(wanted.map(({ message }) => message)) : [];
  const deliveries = wanted.flatMap(({ message: { type, orderKey, at }, webhookIds }, index) => {
    const body = JSON.stringify({ type: eventTypes[type], timestamp: at.toISOString(), data: data[index] });
    return webhookIds.map((webhookId) => ({ id: newId(), webhookId, type, orderKey, body, at }));
  });
  if (deliveries.length > 0) await insertDeliveries(transaction, deliveries);
  const drops = [...dropped].map(([webhookId, count]) => ({ webhookId, count, at: messages.at(-1)!.at }));
  if (drops.length > 0) await noteDropped(transaction, drops);
  // The job of a webhook that lost events adds them to the metric.
  const webhookIds = [...new Set([...deliveries, ...drops].map(({ webhookId }) => webhookId))].sort();
  await addDeliveryJobs(transaction, webhookIds);
  return deliveries.length;
}

/** Which webhooks get each message. A webhook that is full loses the latest ones. */
function shareOut<Head extends MessageHead>(messages: Head[], listeners: Listener[]) {
  const room = new Map(listeners.map((listener) => [listener.id, listener.room]));
  const dropped = new Map<string, number>();
  const wanted: { message: Head; webhookIds: string[] }[] = [];
  for (const message of messages) {
    const own = listeners.filter(({ events }) => events === null || events.includes(message.type));
    const takers = own.filter(({ id }) => room.get(id)! > 0);
    for (const { id } of own) {
      const left = room.get(id)!;
      if (left > 0) room.set(id, left - 1);
      else dropped.set(id, (dropped.get(id) ?? 0) + 1);
    }
    if (takers.length > 0) wanted.push({ message, webhookIds: takers.map(({ id }) => id) });
  }
  return { wanted, dropped };
}
