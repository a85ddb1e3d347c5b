// The campaign as devices get it, made from its stored or its typed fields: openapi.yaml, "Fetching". A test compares the two.
import type { CampaignRuleFragment } from '../../../../generated/screens/campaigns/graphql.ts';

/** Stored fields have all members, typed ones those that are given. */
type Loose<Value> = Value extends readonly (infer One)[]
  ? readonly Loose<One>[]
  : Value extends object
    ? { [Name in keyof Value]?: Loose<Value[Name]> | null }
    : Value;

interface Deliverable extends Pick<Loose<CampaignRuleFragment>, 'priority' | 'trigger' | 'targeting'> {
  id: string;
  name: string;
  version: number;
  frequency?: Loose<CampaignRuleFragment['frequency']>;
  schedule?: Loose<CampaignRuleFragment['schedule']>;
  action?: Loose<CampaignRuleFragment['action']>;
  /** Somebody has started it before its start. It runs at once, so devices get it without a start. */
  startedEarly: boolean;
}

/** Null: without trigger or action no device gets it. */
export function deliveredCampaign(campaign: Deliverable): object | null {
  const { id, name, version, priority, trigger, targeting, frequency, schedule, action, startedEarly } = campaign;
  if (!trigger || !action) return null;
  const range = (given: { min?: number | null; max?: number | null } | null | undefined) => ({
    min: given?.min ?? null,
    max: given?.max ?? null,
  });
  return {
    id,
    name,
    version,
    priority,
    trigger: {
      event: trigger.event,
      type: trigger.type,
      filters: (trigger.filters ?? []).map(({ param, ...condition }) => ({ param, ...delivered(condition) })),
    },
    targeting: {
      platforms: targeting?.platforms ?? [],
      appVersion: range(targeting?.appVersion),
      osVersion: range(targeting?.osVersion),
      sdkVersion: range(targeting?.sdkVersion),
      appInstallVersion: range(targeting?.appInstallVersion),
      countries: targeting?.countries ?? [],
      userProperties: (targeting?.userProperties ?? []).map((group) =>
        group.map(({ name: property, ...condition }) => ({ name: property, ...delivered(condition) })),
      ),
    },
    frequency: {
      perSession: frequency?.perSession ?? null,
      perDay: frequency?.perDay ?? null,
      total: frequency?.total ?? null,
      cooldownSeconds: frequency?.cooldownSeconds ?? null,
    },
    schedule: { startAt: startedEarly ? null : (schedule?.startAt ?? null), endAt: schedule?.endAt ?? null },
    action: {
      type: action.type,
      payload: action.payload ?? null,
      blocking: action.blocking,
      deadlineSeconds: action.blocking ? (action.deadlineSeconds ?? null) : null,
    },
  };
}

function delivered({ op, value }: { op?: string | null; value?: unknown }): object {
  return op === 'EXISTS' || op === 'NOT_EXISTS' ? { op } : { op, value };
}
