// When a campaign runs: openapi.yaml, getCampaigns, "Schedule". Depends on nothing.
import type { components } from '../../../../../generated/openapi.ts';

/** `now` in Unix seconds by the corrected clock. The start belongs to the schedule, the end does not. */
export function isScheduled({ startAt, endAt }: components['schemas']['CampaignSchedule'], now: number): boolean {
  return (startAt === null || seconds(startAt) <= now) && (endAt === null || now < seconds(endAt));
}

function seconds(instant: string): number {
  return Date.parse(instant) / 1000;
}
