// POST /api/v1/store/notifications/{applicationId}: takes one notification of the store.
import type { components } from '../../generated/openapi.ts';
import type { EveryField } from '../platform/everyField.ts';
import type { NotificationReceiver } from './notificationReceiver.ts';
import type { NotifiedApplication } from './storeNotificationsStore.ts';

type Schemas = components['schemas'];

export interface ReceiveStoreNotificationRequest {
  /** Has passed the contract. */
  body: EveryField<Schemas['StoreNotification'], Record<'signedPayload', true>>;
  application: NotifiedApplication;
}

/** Resolves after COMMIT. Throws `validation_failed`, `unavailable`, and the database's error unchanged. */
export async function receiveStoreNotification(
  { body: { signedPayload }, application }: ReceiveStoreNotificationRequest,
  { storeNotifications }: { storeNotifications: NotificationReceiver },
): Promise<{ body: Record<string, never> }> {
  await storeNotifications.receive(application, signedPayload);
  return { body: {} };
}
