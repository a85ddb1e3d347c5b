// POST /api/v1/store/notifications/{applicationId}: takes one notification of the store.
import DataLoader from 'dataloader';
import type { Pool } from 'pg';
import type { components } from '../../generated/openapi.ts';
import { createLimiter } from '../platform/concurrencyLimiter.ts';
import { inTransaction, retryConflicts } from '../platform/database/transaction.ts';
import { AppError, unavailable } from '../platform/errors.ts';
import { type EveryField, isUuid } from '../platform/inputRules.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Metrics } from '../platform/observability/metrics.ts';
import { findNotifiedApplications, keepNotification, type NotifiedApplication } from './keepNotification.ts';
import { knownType, verifyNotification } from './signedData.ts';
import type { StoreNotification } from './storeClient.ts';
import type { FindStore } from './storeOpener.ts';

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

// Takes what the store sends: finds its application, verifies it, and stores it. Bounds the work for senders without a key.

export interface NotificationReceiver {
  /** Null when there is no such application. Rejects when the look-up fails. */
  find(applicationId: string): Promise<NotifiedApplication | null>;
  /**
   * Resolves after COMMIT. Throws `validation_failed` for what does not verify, and `unavailable` without root
   * certificates.
   */
  receive(application: NotifiedApplication, signedPayload: string): Promise<void>;
}

interface Needs {
  pool: Pool;
  log: Log;
  metrics: Pick<Metrics, 'notified' | 'notificationRefused'>;
  findStore: FindStore;
  now(): Date;
}

/**
 * Anybody may send to an application whose id they know: uploads keep the other connections of the pool. Applications take
 * turns, and no invented id comes so far.
 */
const bounds = { atOnce: 3, longestQueue: 100, patienceMillis: 3_000, refusal: () => unavailable() };

export function createNotificationReceiver({ pool, log, metrics, findStore, now }: Needs): NotificationReceiver {
  const limiter = createLimiter(bounds);
  const find = createFinder((ids) => findNotifiedApplications(pool, ids));
  return {
    find: async (applicationId) => (isUuid(applicationId) ? find(applicationId.toLowerCase()) : null),
    receive: (application, signedPayload) =>
      limiter(async () => {
        const notification = await verified(application, signedPayload);
        const { id: applicationId } = application;
        const arrival = { applicationId, notification, fetched: false, now: now() };
        const outcome = await retryConflicts(() =>
          inTransaction(pool, (transaction) => keepNotification(transaction, arrival)),
        );
        const { id, type, subtype } = notification;
        metrics.notified({ type: knownType(type), outcome });
        log.info({ applicationId, notification: id, type, subtype, outcome }, 'store notification received');
      }, application.id),
  };

  async function verified({ id, app }: NotifiedApplication, signedPayload: string): Promise<StoreNotification> {
    const store = await findStore();
    if (!store) throw unavailable();
    const response = await verifyNotification(store.rootCertificates, app, signedPayload);
    if ('value' in response) return response.value;
    const { failure } = response;
    // Another failure is one of the service: refused, the notification would be lost.
    if (failure.kind !== 'unverified') throw new Error(`a notification could not be read: ${failure.kind}`);
    metrics.notificationRefused(failure.reason);
    log.debug({ applicationId: id, reason: failure.reason }, 'a store notification was refused');
    const message = 'does not verify as a notification of the store for this application';
    throw new AppError('validation_failed', { fields: [{ path: 'signedPayload', message }] });
  }
}

/**
 * One statement at a time, for all ids that came during the last one. So ids that a stranger invents, however many, hold
 * nobody up: they take one connection, and no place in a line.
 */
function createFinder(lookUp: (ids: readonly string[]) => Promise<Map<string, NotifiedApplication>>) {
  let last: Promise<unknown> = Promise.resolve();
  const find = async (ids: readonly string[]): Promise<(NotifiedApplication | null)[]> => {
    const looking = lookUp(ids);
    last = looking;
    const found = await looking;
    return ids.map((id) => found.get(id) ?? null);
  };
  const loader = new DataLoader(find, {
    cache: false,
    batchScheduleFn: (begin) => void last.then(begin, begin),
  });
  return (id: string): Promise<NotifiedApplication | null> => loader.load(id);
}
