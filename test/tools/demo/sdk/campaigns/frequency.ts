// Compares the shows of a campaign on this device with its caps: openapi.yaml, getCampaigns, "Evaluation".
// `withoutFuture` is step 1 of the algorithm, `isWithinCaps` its paragraph on frequency. The file imports only types.
import type { components } from '../../../../../generated/openapi.ts';

type Frequency = components['schemas']['CampaignFrequency'];

/** One activation of a campaign. It counts whatever the action did afterwards. */
export interface Show {
  campaignId: string;
  /** Unix seconds by the corrected clock. */
  at: number;
  sessionId: string;
}

export interface Moment {
  /** Unix seconds by the corrected clock. */
  now: number;
  /** The device's current offset from UTC; positive in the east. */
  utcOffsetSeconds: number;
  sessionId: string;
}

const secondsPerDay = 86_400;

/** A show later than `now` was logged before the clock was set back. It counts as shown now. */
export function withoutFuture(log: Show[], now: number): Show[] {
  return log.map((show) => (show.at > now ? { ...show, at: now } : show));
}

/** `shows` holds only the shows of this campaign, none of them later than `now`. A cap that is null always holds. */
export function isWithinCaps(
  { perSession, perDay, total, cooldownSeconds }: Frequency,
  shows: Show[],
  { now, utcOffsetSeconds, sessionId }: Moment,
): boolean {
  const day = (at: number): number => Math.floor((at + utcOffsetSeconds) / secondsPerDay);
  const inSession = shows.filter((show) => show.sessionId === sessionId).length;
  const today = shows.filter((show) => day(show.at) === day(now)).length;
  const latest = Math.max(...shows.map(({ at }) => at));
  return (
    (perSession === null || inSession < perSession) &&
    (perDay === null || today < perDay) &&
    (total === null || shows.length < total) &&
    (cooldownSeconds === null || shows.length === 0 || now - latest >= cooldownSeconds)
  );
}
