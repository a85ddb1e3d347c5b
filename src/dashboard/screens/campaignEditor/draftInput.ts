// From what is typed to the input of campaignEdit. All parts are sent, so that every problem has a path of the input.
import type {
  CampaignEditInput,
  CampaignTargetingInput,
  VersionRangeInput,
} from '../../../../generated/screens/campaignEditor/graphql.ts';
import { valueOf, type ConditionDraft } from './conditions.ts';
import type { Draft, EditedCampaign, Range } from './draft.ts';
import { instantOf, localOf } from '../../parts/range/zonedTime.ts';
import { typedVersion } from '../../parts/version.ts';
import { payloadOf } from './payload.ts';

/** Only for a draft without problems (draftProblems.ts). */
export type Content = Omit<CampaignEditInput, 'id' | 'applicationId' | 'expectedVersion'>;

export interface Stored {
  timeZone: string;
  /** The schedule that the form began with: an unchanged time keeps its milliseconds. */
  schedule: EditedCampaign['schedule'];
}

export function inputOf(draft: Draft, stored: Stored): Content {
  const { trigger, frequency, action } = draft;
  return {
    name: draft.name,
    description: draft.description === '' ? null : draft.description,
    priority: numberOf(draft.priority) ?? 0,
    trigger: hasTrigger(draft)
      ? {
          event: trigger.event,
          type: typeOf(trigger.event),
          filters: trigger.filters.map(({ name, ...rest }) => ({ param: name, ...conditionOf({ name, ...rest }) })),
        }
      : null,
    targeting: targetingOf(draft.targeting),
    frequency: Object.values(frequency).every((text) => text.trim() === '')
      ? null
      : {
          perSession: numberOf(frequency.perSession),
          perDay: numberOf(frequency.perDay),
          total: numberOf(frequency.total),
          cooldownSeconds: numberOf(frequency.cooldownSeconds),
        },
    schedule: scheduleOf(draft, stored),
    action: hasAction(draft)
      ? {
          type: action.type,
          payload: payloadOf(action.payload).value,
          blocking: action.blocking,
          deadlineSeconds: action.blocking ? numberOf(action.deadlineSeconds) : null,
        }
      : null,
  };
}

/** A part of which nothing is typed is not there. */
export const hasTrigger = ({ trigger }: Draft): boolean => trigger.event !== '' || trigger.filters.length > 0;
export const hasAction = ({ action }: Draft): boolean =>
  action.type !== '' || action.payload.trim() !== '' || action.blocking;

/** The names that the SDK itself records (schema.graphql (EventType)); the others are the app's. */
export const sdkEvents = [
  'SdkInitialized',
  'ConfigFetchStarted',
  'ConfigFetchFinished',
  'SessionStarted',
  'SessionFinished',
  'EventTriggered',
  'CustomPropertyChanged',
];
/** A campaign cannot set off a campaign. */
export const campaignEvents = ['CampaignShown', 'CampaignResolved'];

export const typeOf = (event: string): 'SYSTEM' | 'CUSTOM' =>
  [...sdkEvents, ...campaignEvents].includes(event) ? 'SYSTEM' : 'CUSTOM';

/** Null for nothing; NaN for what is no whole number. */
export function numberOf(text: string): number | null {
  if (text.trim() === '') return null;
  return /^\d+$/.test(text.trim()) ? Number(text) : NaN;
}

function conditionOf(condition: ConditionDraft): { op: ConditionDraft['op']; value?: unknown } {
  const value = valueOf(condition);
  return value === undefined ? { op: condition.op } : { op: condition.op, value };
}

export function rangeOf({ min, max }: Range): VersionRangeInput | null {
  const range = { min: typedVersion(min), max: typedVersion(max) };
  return range.min === null && range.max === null ? null : range;
}

function targetingOf(targeting: Draft['targeting']): CampaignTargetingInput | null {
  const { platforms, countries } = targeting;
  const all: CampaignTargetingInput = {
    platforms,
    appVersion: rangeOf(targeting.appVersion),
    osVersion: rangeOf(targeting.osVersion),
    sdkVersion: rangeOf(targeting.sdkVersion),
    appInstallVersion: rangeOf(targeting.appInstallVersion),
    countries,
    userProperties: targeting.userProperties.map((group) =>
      group.map((condition) => ({ name: condition.name, ...conditionOf(condition) })),
    ),
  };
  const isEmpty = Object.values(all).every((part) => part === null || (Array.isArray(part) && part.length === 0));
  return isEmpty ? null : all;
}

function scheduleOf({ schedule }: Draft, { timeZone, schedule: stored }: Stored): Content['schedule'] {
  const instant = (local: string, before: string | null | undefined): string | null => {
    if (local === '') return null;
    if (before && localOf(before, timeZone) === local) return before;
    return instantOf(local, timeZone)?.instant ?? null;
  };
  const startAt = instant(schedule.startAt, stored?.startAt);
  const endAt = instant(schedule.endAt, stored?.endAt);
  return startAt === null && endAt === null ? null : { startAt, endAt };
}
