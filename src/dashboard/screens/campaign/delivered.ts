// The campaign as devices get it, made from the fields of the API: openapi.yaml, "Fetching".
import type { SeenCampaign } from './words.ts';

interface VersionRange {
  min?: number | null;
  max?: number | null;
}

/** Null: without trigger or action no device gets it. */
export function deliveredCampaign(campaign: SeenCampaign): object | null {
  const { id, name, version, priority, trigger, targeting, frequency, action } = campaign;
  if (!trigger || !action) return null;
  return {
    id,
    name,
    version,
    priority,
    trigger: {
      event: trigger.event,
      type: trigger.type,
      filters: trigger.filters.map(({ param, ...condition }) => ({ param, ...delivered(condition) })),
    },
    targeting: deliveredTargeting(targeting),
    frequency: {
      perSession: frequency?.perSession ?? null,
      perDay: frequency?.perDay ?? null,
      total: frequency?.total ?? null,
      cooldownSeconds: frequency?.cooldownSeconds ?? null,
    },
    schedule: { startAt: deliveredStart(campaign), endAt: campaign.schedule?.endAt ?? null },
    action: {
      type: action.type,
      payload: action.payload ?? null,
      blocking: action.blocking,
      deadlineSeconds: action.blocking ? (action.deadlineSeconds ?? null) : null,
    },
  };
}

function deliveredTargeting(targeting: SeenCampaign['targeting']): object {
  const range = (given: VersionRange | null | undefined) => ({ min: given?.min ?? null, max: given?.max ?? null });
  const groups = targeting?.userProperties ?? [];
  return {
    platforms: targeting?.platforms ?? [],
    appVersion: range(targeting?.appVersion),
    osVersion: range(targeting?.osVersion),
    sdkVersion: range(targeting?.sdkVersion),
    appInstallVersion: range(targeting?.appInstallVersion),
    countries: targeting?.countries ?? [],
    userProperties: groups.map((group) => group.map(({ name, ...condition }) => ({ name, ...delivered(condition) }))),
  };
}

function delivered({ op, value }: { op: string; value?: unknown }): object {
  return op === 'EXISTS' || op === 'NOT_EXISTS' ? { op } : { op, value };
}

/** A campaign that somebody has started before its start runs at once, so devices get it without a start. */
function deliveredStart({ schedule, state, updatedAt, history }: SeenCampaign): string | null {
  const start = schedule?.startAt ?? null;
  if (start === null) return null;
  const lastMove = history.find(({ toState }) => toState !== null)?.toState;
  const startedEarly = state === 'ACTIVE' && lastMove === 'ACTIVE' && Date.parse(updatedAt) < Date.parse(start);
  return startedEarly ? null : start;
}
