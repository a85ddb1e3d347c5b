// What an edit changed, field by field (pure), in the form in which devices get the values (schema.graphql, "History").
import { isDeepStrictEqual } from 'node:util';
import type { CampaignContent, StoredRange } from './campaignRecord.ts';
import { deliveredAction, deliveredFrequency, deliveredTargeting, deliveredTrigger } from './deliveredCampaign.ts';
import type { Editable } from './editedFields.ts';

export interface FieldChange {
  /** `schedule.endAt` */
  field: string;
  before: unknown;
  after: unknown;
}

type Members = Record<string, unknown>;

const noTrigger = { event: null, type: null, filters: null } satisfies Record<
  keyof ReturnType<typeof deliveredTrigger>,
  null
>;
const noAction = { type: null, payload: null, blocking: null, deadlineSeconds: null } satisfies Record<
  keyof ReturnType<typeof deliveredAction>,
  null
>;

/** In the order of the fields of `Campaign`. */
const parts: Record<Editable, (content: CampaignContent) => Members> = {
  name: ({ name }) => ({ name: name || null }),
  description: ({ description }) => ({ description }),
  priority: ({ priority }) => ({ priority }),
  trigger: ({ trigger }) => below('trigger', trigger ? deliveredTrigger(trigger) : noTrigger),
  targeting: ({ targeting }) => {
    const { appVersion, osVersion, sdkVersion, appInstallVersion, ...lists } = deliveredTargeting(targeting ?? {});
    const ranges = { appVersion, osVersion, sdkVersion, appInstallVersion };
    const shown = Object.entries(ranges).map(([name, range]) => [name, isOpen(range) ? null : range] as const);
    return below('targeting', { ...lists, ...Object.fromEntries(shown) });
  },
  frequency: ({ frequency }) => below('frequency', deliveredFrequency(frequency ?? {})),
  schedule: ({ startAt, endAt }) =>
    below('schedule', { startAt: startAt?.toISOString() ?? null, endAt: endAt?.toISOString() ?? null }),
  action: ({ action }) => below('action', action ? deliveredAction(action) : noAction),
};

/** Compares two records from the database, where equal content has equal numbers. `before` of a creation is an empty draft. */
export function fieldChanges(before: CampaignContent, after: CampaignContent): FieldChange[] {
  const old = valuesOf(before);
  return Object.entries(valuesOf(after)).flatMap(([field, value]) =>
    isDeepStrictEqual(old[field], value) ? [] : [{ field, before: old[field], after: value }],
  );
}

function valuesOf(content: CampaignContent): Members {
  return Object.assign({}, ...Object.values(parts).map((membersOf) => membersOf(content))) as Members;
}

function below(part: Editable, members: Members): Members {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [`${part}.${name}`, value]));
}

function isOpen({ min, max }: StoredRange): boolean {
  return min === null && max === null;
}
