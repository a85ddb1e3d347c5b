// The campaign configuration of the scripted server: one campaign, which a custom event starts.
import { createHash } from 'node:crypto';

/** The custom event that the app under test tracks. */
export const trackedEvent = 'JudgeEvent';

const anyVersion = { min: null, max: null };
const campaign = {
  id: '00000000-0000-7000-8000-00000000000a',
  name: 'Judge',
  version: 1,
  priority: 0,
  trigger: { event: trackedEvent, type: 'CUSTOM', filters: [] },
  targeting: {
    platforms: [],
    appVersion: anyVersion,
    osVersion: anyVersion,
    sdkVersion: anyVersion,
    appInstallVersion: anyVersion,
    countries: [],
    userProperties: [],
  },
  frequency: { perSession: 1, perDay: null, total: null, cooldownSeconds: null },
  schedule: { startAt: null, endAt: null },
  action: { type: 'judge', payload: null, blocking: false, deadlineSeconds: null },
};

export function configurationOf(revision: string, now: number): object {
  return { revision, serverTime: Math.floor(now / 1_000), nextFetchSeconds: 900, campaigns: [campaign] };
}

/** Another URL has another tag, as in the service. */
export function tagOf(revision: string, target: string): string {
  return `"${createHash('sha256').update(`${revision} ${target}`).digest('hex').slice(0, 32)}"`;
}
