// The outbox: writes an event for every webhook that wants it, in the transaction of the change, with the jobs that deliver it.
import type { Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/newId.ts';
import { takeRoom } from './backlogStore.ts';
import { holdListeners, insertDeliveries, type Listener } from './deliveriesStore.ts';
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
  const lists = messages.map((message) => ({ message, webhookIds: takersOf(message, listeners) }));
  const asked = [...countsOf(lists)].map(([webhookId, count]) => ({ webhookId, count, at: messages.at(-1)!.at }));
  if (asked.length === 0) return 0;
  const wanted = shareOut(lists, await takeRoom(transaction, asked));
  const data = wanted.length > 0 ? await dataOf(wanted.map(({ message }) => message)) : [];
  const deliveries = wanted.flatMap(({ message: { type, orderKey, at }, webhookIds }, index) => {
    const body = JSON.stringify({ type: eventTypes[type], timestamp: at.toISOString(), data: data[index] });
    return webhookIds.map((webhookId) => ({ id: newId(), webhookId, type, orderKey, body, at }));
  });
  if (deliveries.length > 0) await insertDeliveries(transaction, deliveries);
  // The job of a webhook that lost events adds them to the metric.
  const webhookIds = asked.map(({ webhookId }) => webhookId).sort();
  await addDeliveryJobs(transaction, webhookIds);
  return deliveries.length;
}

interface Listed<Head> {
  message: Head;
  webhookIds: string[];
}

function takersOf({ type }: MessageHead, listeners: Listener[]): string[] {
  return listeners.filter(({ events }) => events === null || events.includes(type)).map(({ id }) => id);
}

function countsOf(lists: Listed<unknown>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of lists.flatMap(({ webhookIds }) => webhookIds)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** The messages that some webhook gets. One without the room for all loses the latest. */
function shareOut<Head>(lists: Listed<Head>[], room: Map<string, number>): Listed<Head>[] {
  const left = new Map(room);
  const takes = (id: string): boolean => {
    const own = left.get(id)!;
    left.set(id, own - 1);
    return own > 0;
  };
  return lists
    .map(({ message, webhookIds }) => ({ message, webhookIds: webhookIds.filter(takes) }))
    .filter(({ webhookIds }) => webhookIds.length > 0);
}
