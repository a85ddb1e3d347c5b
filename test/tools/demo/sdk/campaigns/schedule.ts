// Decides whether a campaign runs now, by its schedule: openapi.yaml, getCampaigns, "Evaluation".
// The file imports only types.
import type { components } from '../../../../../generated/openapi.ts';

/** `now` is in Unix seconds by the corrected clock. `startAt` is inclusive, `endAt` is exclusive. */
export function isScheduled({ startAt, endAt }: components['schemas']['CampaignSchedule'], now: number): boolean {
  return (startAt === null || seconds(startAt) <= now) && (endAt === null || now < seconds(endAt));
}

function seconds(instant: string): number {
  return Date.parse(instant) / 1000;
}
