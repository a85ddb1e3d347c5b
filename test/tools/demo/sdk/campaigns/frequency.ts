// How often a campaign may be shown on this device: openapi.yaml, getCampaigns, "Frequency" and step 1. Depends on nothing.
import type { components } from '../../../../../generated/openapi.ts';

type Frequency = components['schemas']['CampaignFrequency'];

/** One activation. What its action did afterwards is no part of it. */
export interface Show {
  campaignId: string;
  /** Unix seconds by the corrected clock. */
  at: number;
  sessionId: string;
}

export interface Moment {
  /** Unix seconds by the corrected clock. */
  now: number;
  /** The device's current offset from UTC, east positive. */
  utcOffsetSeconds: number;
  sessionId: string;
}

const secondsPerDay = 86_400;

/** A show later than now was logged before the clock was set back: it counts as shown now. */
export function withoutFuture(log: Show[], now: number): Show[] {
  return log.map((show) => (show.at > now ? { ...show, at: now } : show));
}

/** `shows` are those of the campaign in question, none of them later than now. A cap that is null holds. */
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
