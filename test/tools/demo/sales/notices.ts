// Sends a notification of the fake store to the service, and again until the service takes it, as the store does for days.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FakeStore } from '../fakeStore/fakeStore.ts';
import { sendNotification, type FakeNotification } from '../fakeStore/notifications.ts';

const pauseMillis = 1_000;
const patienceMillis = 60_000;

/** After a minute it gives up, and the closing table shows what is missing. The store repeats a notification: it comes twice. */
export async function sendNotice(
  store: Pick<FakeStore, 'notify'>,
  notification: FakeNotification,
  url: string,
): Promise<void> {
  const made = await store.notify(notification, url);
  let { status } = made;
  for (const end = Date.now() + patienceMillis; status !== 200 && Date.now() < end; await sleep(pauseMillis)) {
    status = await sendNotification(made, url);
  }
  await sendNotification(made, url);
}
