// The campaign as devices get it (openapi.yaml, "Fetching"): the same record at every request until the campaign changes.
import type { components } from '../../generated/openapi.ts';
import type {
  Condition,
  StoredAction,
  StoredCampaign,
  StoredFrequency,
  StoredRange,
  StoredTargeting,
  StoredTrigger,
} from './campaignRecord.ts';

type Schemas = components['schemas'];

/** Null for a campaign without trigger or action: no move lets it run. */
export function deliveredCampaign(campaign: StoredCampaign): Schemas['Campaign'] | null {
  const { id, name, version, priority, trigger, action } = campaign;
  if (!trigger || !action) return null;
  return {
    id,
    name,
    version,
    priority,
    trigger: deliveredTrigger(trigger),
    targeting: deliveredTargeting(campaign.targeting ?? {}),
    frequency: deliveredFrequency(campaign.frequency ?? {}),
    schedule: deliveredSchedule(campaign),
    action: deliveredAction(action),
  };
}

export function deliveredTrigger({ event, type, filters }: StoredTrigger): Schemas['CampaignTrigger'] {
  const conditions = (filters ?? []).map(({ param, ...condition }) => ({ param, ...deliveredCondition(condition) }));
  return { event, type, filters: conditions };
}

export function deliveredTargeting(targeting: StoredTargeting): Schemas['CampaignTargeting'] {
  const groups = targeting.userProperties ?? [];
  return {
    platforms: targeting.platforms ?? [],
    appVersion: deliveredRange(targeting.appVersion),
    osVersion: deliveredRange(targeting.osVersion),
    sdkVersion: deliveredRange(targeting.sdkVersion),
    appInstallVersion: deliveredRange(targeting.appInstallVersion),
    countries: targeting.countries ?? [],
    userProperties: groups.map((group) =>
      group.map(({ name, ...condition }) => ({ name, ...deliveredCondition(condition) })),
    ),
  };
}

function deliveredRange(range: StoredRange | null | undefined): Schemas['VersionRange'] {
  return { min: range?.min ?? null, max: range?.max ?? null };
}

function deliveredCondition({ op, value }: Condition): Pick<Schemas['PropertyCondition'], 'op' | 'value'> {
  const bare = op === 'EXISTS' || op === 'NOT_EXISTS' || value === null || value === undefined;
  return bare ? { op } : { op, value };
}

export function deliveredFrequency(frequency: StoredFrequency): Schemas['CampaignFrequency'] {
  return {
    perSession: frequency.perSession ?? null,
    perDay: frequency.perDay ?? null,
    total: frequency.total ?? null,
    cooldownSeconds: frequency.cooldownSeconds ?? null,
  };
}

/**
 * A campaign that a user activated before its start runs at once, so its start is left out. The row alone decides this:
 * a stored ACTIVE whose last change was before its start. So the result does not depend on a clock.
 */
function deliveredSchedule({ state, startAt, endAt, updatedAt }: StoredCampaign): Schemas['CampaignSchedule'] {
  const startedEarly = state === 'ACTIVE' && startAt !== null && updatedAt < startAt;
  return {
    startAt: startedEarly ? null : (startAt?.toISOString() ?? null),
    endAt: endAt?.toISOString() ?? null,
  };
}

export function deliveredAction({ type, payload, blocking, deadlineSeconds }: StoredAction): Schemas['CampaignAction'] {
  const waits = blocking ?? false;
  return { type, payload: payload ?? null, blocking: waits, deadlineSeconds: waits ? (deadlineSeconds ?? null) : null };
}
