// Makes the body of one upload: openapi.yaml, reportSessions, "User and device state".
import type { DeviceStore } from './deviceStore.ts';
import { userReport, type UserState } from './userState.ts';
import type { Session, SessionReport } from './wire.ts';

/** `mostProperties` is smaller than the limit where a body with one event was too large. */
export function sessionReport(
  store: DeviceStore,
  user: UserState,
  batch: Session[],
  mostProperties: number,
): SessionReport {
  const { deviceId, deviceProperties, leftOut } = store;
  const { adId, country, ...required } = deviceProperties;
  const { id, ...others } = userReport(user, batch, mostProperties);
  return {
    user: { ...(!isLeftOut('user.id', id) && { id }), ...others },
    device: {
      id: deviceId,
      properties: {
        ...required,
        ...(adId !== undefined && !isLeftOut('device.properties.adId', adId) && { adId }),
        ...(country !== undefined && !isLeftOut('device.properties.country', country) && { country }),
      },
    },
    sessions: batch.map((session) => withPresentDates(store, session)),
  };

  /** A field that a 422 named stays away until its value changes. */
  function isLeftOut(path: keyof typeof leftOut, value: unknown): boolean {
    return path in leftOut && leftOut[path] === value;
  }
}

/** The first correction of the clock moves dates. A session that has ended meanwhile keeps its null here. */
function withPresentDates({ sessions }: DeviceStore, session: Session): Session {
  const stored = sessions.find(({ id }) => id === session.id);
  if (!stored) return session;
  return { ...session, startDate: stored.startDate, finishDate: session.finishDate && stored.finishDate };
}
