// A campaign as the form has it: every value as it is typed, at the paths at which campaignEdit takes it.
import type { CampaignToEditQuery } from '../../../../generated/screens/campaignEditor/graphql.ts';
import { conditionDraft, type ConditionDraft } from './conditions.ts';
import { localOf } from '../../parts/range/zonedTime.ts';
import { versionText } from '../../parts/version.ts';

export type EditedCampaign = NonNullable<CampaignToEditQuery['campaign']>;

/** Versions as people write them. */
export interface Range {
  min: string;
  max: string;
}

/** A type and no interface: forms take records. */
export type Draft = {
  name: string;
  description: string;
  priority: string;
  trigger: { event: string; filters: ConditionDraft[] };
  targeting: {
    platforms: string[];
    appVersion: Range;
    osVersion: Range;
    sdkVersion: Range;
    appInstallVersion: Range;
    countries: string[];
    userProperties: ConditionDraft[][];
  };
  frequency: { perSession: string; perDay: string; total: string; cooldownSeconds: string };
  /** Times of the application's zone, as the browser's field writes them. */
  schedule: { startAt: string; endAt: string };
  action: { type: string; payload: string; blocking: boolean; deadlineSeconds: string };
};

export type Part = keyof Draft;
export const parts: readonly Part[] = [
  'name',
  'description',
  'priority',
  'trigger',
  'targeting',
  'frequency',
  'schedule',
  'action',
];

export const partNames: Record<Part, string> = {
  name: 'Name',
  description: 'Notes',
  priority: 'Priority',
  trigger: 'Trigger',
  targeting: 'Targeting',
  frequency: 'Frequency',
  schedule: 'Schedule',
  action: 'Action',
};

const emptyRange: Range = { min: '', max: '' };

export const emptyDraft: Draft = {
  name: '',
  description: '',
  priority: '0',
  trigger: { event: '', filters: [] },
  targeting: {
    platforms: [],
    appVersion: emptyRange,
    osVersion: emptyRange,
    sdkVersion: emptyRange,
    appInstallVersion: emptyRange,
    countries: [],
    userProperties: [],
  },
  frequency: { perSession: '', perDay: '', total: '', cooldownSeconds: '' },
  schedule: { startAt: '', endAt: '' },
  action: { type: '', payload: '', blocking: false, deadlineSeconds: '' },
};

export function draftOf(campaign: EditedCampaign, timeZone: string): Draft {
  const { trigger, frequency, schedule, action } = campaign;
  const local = (instant: string | null | undefined): string => (instant ? localOf(instant, timeZone) : '');
  return {
    name: campaign.name,
    description: campaign.description ?? '',
    priority: String(campaign.priority),
    trigger: {
      event: trigger?.event ?? '',
      filters: (trigger?.filters ?? []).map(({ param, ...condition }) => conditionDraft(param, condition)),
    },
    targeting: targetingDraft(campaign.targeting),
    frequency: {
      perSession: textOf(frequency?.perSession),
      perDay: textOf(frequency?.perDay),
      total: textOf(frequency?.total),
      cooldownSeconds: textOf(frequency?.cooldownSeconds),
    },
    schedule: { startAt: local(schedule?.startAt), endAt: local(schedule?.endAt) },
    action: {
      type: action?.type ?? '',
      payload: action?.payload === null || action?.payload === undefined ? '' : JSON.stringify(action.payload, null, 2),
      blocking: action?.blocking ?? false,
      deadlineSeconds: textOf(action?.deadlineSeconds),
    },
  };
}

function targetingDraft(targeting: EditedCampaign['targeting']): Draft['targeting'] {
  if (!targeting) return emptyDraft.targeting;
  return {
    platforms: targeting.platforms,
    appVersion: rangeDraft(targeting.appVersion),
    osVersion: rangeDraft(targeting.osVersion),
    sdkVersion: rangeDraft(targeting.sdkVersion),
    appInstallVersion: rangeDraft(targeting.appInstallVersion),
    countries: targeting.countries,
    userProperties: targeting.userProperties.map((group) =>
      group.map(({ name, ...condition }) => conditionDraft(name, condition)),
    ),
  };
}

type StoredRange = { min?: number | null; max?: number | null } | null | undefined;
const rangeDraft = (range: StoredRange): Range => ({ min: endDraft(range?.min), max: endDraft(range?.max) });
const endDraft = (end: number | null | undefined): string => (typeof end === 'number' ? versionText(end) : '');

const textOf = (number: number | null | undefined): string =>
  number === null || number === undefined ? '' : String(number);

/** A copy is a campaign of its own, so its name says so. */
export function copyOf(draft: Draft): Draft {
  return { ...draft, name: [...`Copy of ${draft.name}`].slice(0, 256).join('') };
}

/** Which parts have another value; keys of rows are not values. */
export function changedParts(one: Draft, other: Draft): Part[] {
  const written = (value: unknown): string =>
    JSON.stringify(value, (name, part: unknown) => (name === 'key' ? undefined : part));
  return parts.filter((part) => written(one[part]) !== written(other[part]));
}
