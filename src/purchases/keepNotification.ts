// Stores one notification with what it says about transactions, or nothing where it is known.
import type { Transaction } from '../platform/database/transaction.ts';
import type { StoreNotification } from './storeClient.ts';
import { insertNotification } from './storeNotificationsStore.ts';
import { storeStatement } from './storeStatement.ts';

/** `repeated`: it was known. `kept`: it says nothing about a transaction. */
export type NotificationOutcome = 'stored' | 'kept' | 'repeated';

export interface NotificationArrival {
  applicationId: string;
  notification: StoreNotification;
  /** It comes from the store's history. */
  fetched: boolean;
  now: Date;
}

/**
 * The kind of a notification decides nothing: the transaction and the renewal that it carries are the store's statement,
 * and of two statements the later signed one holds. So the order of arrival does not matter.
 */
export async function keepNotification(
  transaction: Transaction,
  { applicationId, notification, fetched, now }: NotificationArrival,
): Promise<NotificationOutcome> {
  if (!(await insertNotification(transaction, { applicationId, notification, receivedAt: now, fetched }))) {
    return 'repeated';
  }
  const { environment, transactions, renewals } = notification;
  if (transactions.length === 0) return 'kept';
  const statement = { applicationId, environment, transactions, renewals };
  await storeStatement(transaction, statement, { now });
  return 'stored';
}
