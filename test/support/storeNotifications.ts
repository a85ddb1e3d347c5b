// Shared by the tests of the store's notifications: a service that trusts a fake store, with its URL for them.
import { startTestStore, type TestStore } from './fakeStore.ts';
import { setCredentials } from './purchases.ts';
import { startTestService, type TestService, type TestServiceOptions } from './testService.ts';
import { composeStoreFinder } from '../../src/compose/composeDeps.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { signNotification, type FakeNotification } from '../tools/demo/fakeStore/notifications.ts';

export interface NotificationTest {
  service: TestService;
  store: TestStore;
  /** Where the store sends the notifications of the service's application. */
  url: string;
  stop(): Promise<void>;
}

export async function startNotificationTest(options: TestServiceOptions = {}): Promise<NotificationTest> {
  const store = await startTestStore();
  const findStore = await composeStoreFinder(
    { storeRootCertificates: [store.rootFile], storeApiUrl: store.url },
    createLog('silent'),
  );
  const service = await startTestService({ findStore, ...options });
  await setCredentials(service, store.account);
  const url = `${service.url}/api/v1/store/notifications/${service.application.id}`;
  const stop = async (): Promise<void> => {
    await service.stop();
    await store.stop();
  };
  return { service, store, url, stop };
}

export type Told = Omit<FakeNotification, 'bundleId'> & { bundleId?: string };

/** The store's test account has this bundle id. */
const bundleId = 'com.example.test';

/** Sends a notification that the fake store's history does not know, and checks the response by the contract. */
export function tell({ service, store }: NotificationTest, told: Told, applicationId = service.application.id) {
  const { signedPayload } = signNotification({ bundleId, ...told }, store.chain);
  return tellText({ service }, signedPayload, applicationId);
}

export function tellText(
  { service }: Pick<NotificationTest, 'service'>,
  signedPayload: string,
  applicationId?: string,
) {
  const id = applicationId ?? service.application.id;
  return service.client.send('receiveStoreNotification', { 'Content-Type': 'application/json' }, { signedPayload }, id);
}

/** The notifications that the service knows, in the order of their arrival. */
export function known({ service: { database, application } }: Pick<NotificationTest, 'service'>) {
  const where = { applicationId: application.id };
  return database.prisma.storeNotification.findMany({ where, orderBy: { receivedAt: 'asc' } });
}
