// The campaign as devices get it once it is saved and runs: openapi.yaml, "Campaign configuration". A test compares the two.
import type { VersionRangeInput } from '../../../../generated/screens/campaignEditor/graphql.ts';
import type { Content } from './draft.ts';

interface Saved {
  id: string | null;
  /** The version that saving makes. */
  version: number;
  state: string;
}

/** Null where devices get nothing: without a trigger or without an action. */
export function deliveredOf(content: Content, { id, version, state }: Saved, now: number): object | null {
  const { trigger, targeting, frequency, action } = content;
  if (!trigger || !action) return null;
  return {
    id: id ?? 'given when it is saved',
    name: content.name?.trim() ?? '',
    version,
    priority: content.priority,
    trigger,
    targeting: {
      platforms: targeting?.platforms ?? [],
      appVersion: range(targeting?.appVersion),
      osVersion: range(targeting?.osVersion),
      sdkVersion: range(targeting?.sdkVersion),
      appInstallVersion: range(targeting?.appInstallVersion),
      countries: targeting?.countries ?? [],
      userProperties: targeting?.userProperties ?? [],
    },
    frequency: frequency ?? { perSession: null, perDay: null, total: null, cooldownSeconds: null },
    schedule: scheduleOf(content, state, now),
    action,
  };
}

const range = (given: VersionRangeInput | null | undefined): VersionRangeInput => given ?? { min: null, max: null };

/** A campaign that runs before its start was started by hand, so devices get no start. */
function scheduleOf({ schedule }: Content, state: string, now: number): object {
  const { startAt = null, endAt = null } = schedule ?? {};
  const isEarly = state === 'ACTIVE' && typeof startAt === 'string' && Date.parse(startAt) > now;
  return { startAt: isEarly ? null : startAt, endAt };
}
