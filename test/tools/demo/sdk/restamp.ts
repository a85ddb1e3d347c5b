// Moves the times recorded before the first correction: openapi.yaml, "Events before the first correction".
import { isoDate } from './deviceClock.ts';
import type { DeviceStore } from './deviceStore.ts';

/** Call it once for each installation. An event that is acknowledged has left the store, and keeps its time. */
export function restamp(store: DeviceStore, millis: number): void {
  if (millis === 0) return;
  for (const session of store.sessions) {
    if (session.acknowledged === 'no') session.startDate = movedDate(session.startDate, millis);
    const { finishDate } = session;
    if (finishDate !== null && session.acknowledged !== 'finished') session.finishDate = movedDate(finishDate, millis);
    for (const event of session.events) {
      event.timestamp = Math.max(0, Math.round(event.timestamp * 1_000) + millis) / 1_000;
      event.date = movedDate(event.date, millis);
    }
  }
  store.lastEventAt = Math.max(0, store.lastEventAt + millis);
  if (store.inBackgroundSince !== null) store.inBackgroundSince = Math.max(0, store.inBackgroundSince + millis);
}

/** Keeps the offset from UTC that the date was written with. */
function movedDate(date: string, millis: number): string {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(date) ?? [];
  if (sign === undefined) return date;
  const offset = Number(hours) * 60 + Number(minutes);
  return isoDate(Math.max(0, Date.parse(date) + millis), sign === '-' ? -offset : offset);
}
