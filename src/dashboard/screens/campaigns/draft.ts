// A campaign as the form has it: every value as it is typed, at the paths at which campaignEdit takes it.
import type {
  CampaignEditInput,
  CampaignTargetingInput,
  CampaignToEditQuery,
  VersionRangeInput,
} from '../../../../generated/screens/campaigns/graphql.ts';
import { ApiError } from '../../api/apiError.ts';
import { instantOf, localOf } from '../../parts/range.ts';
import { typedVersion, versionText } from '../../parts/values.ts';
import { conditionDraft, valueOf, type ConditionDraft } from './conditions.ts';

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
const parts: readonly Part[] = [
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

/** All parts are sent, so that every problem has a path of the input. Only for a draft without problems (draftProblems.ts). */
export type Content = Omit<CampaignEditInput, 'id' | 'applicationId' | 'expectedVersion'>;

interface Stored {
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

function rangeOf({ min, max }: Range): VersionRangeInput | null {
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

interface Target {
  applicationId: string;
  timeZone: string;
  /** The version that the form began with. Null for a new campaign. */
  campaign: EditedCampaign | null;
}

export function saveInput(draft: Draft, { applicationId, timeZone, campaign }: Target): CampaignEditInput {
  const content = inputOf(draft, { timeZone, schedule: campaign?.schedule ?? null });
  return campaign ? { id: campaign.id, expectedVersion: campaign.version, ...content } : { applicationId, ...content };
}

/** Whether somebody else has saved since, and the form still begins with the version before. */
export function isOutdated(error: ApiError | null, campaign: EditedCampaign | null): boolean {
  if (error?.code !== 'CONFLICT' || error.extensions['reason'] !== 'version') return false;
  return error.extensions['currentVersion'] !== campaign?.version;
}

/** What is left to say of an error where `Conflict` does not stand for it. */
export function saidError(error: ApiError | null): ApiError | null {
  if (error?.code === 'BAD_USER_INPUT' && error.fields.some(({ path }) => path === 'input'))
    return new ApiError(tooLong, 'CONFLICT', error);
  if (error?.code !== 'CONFLICT') return error;
  if (error.extensions['reason'] === 'version') return null;
  return error.extensions['reason'] === 'not_editable' ? new ApiError(over, 'CONFLICT', error) : error;
}

const over = 'The campaign has ended meanwhile, so nobody can edit it. Save what is typed as a new campaign.';
/** schema.graphql, "Campaigns": the limit of all running campaigns together. */
const tooLong =
  'The running campaigns of this application would be too long together. Shorten this one or end another.';

/** schema.graphql, "Campaigns": bytes in UTF-8 as JSON without white space and with its numbers written out. */
export const largestPayload = 65_536;
const deepest = 32;

interface Payload {
  /** Null for no payload, and where `problem` is set. */
  value: unknown;
  bytes: number;
  problem: string | null;
}

/** The length is as the service counts it. */
export function payloadOf(text: string): Payload {
  if (text.trim() === '') return { value: null, bytes: 0, problem: null };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { value: null, bytes: 0, problem: syntaxProblem(error as Error, text) };
  }
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length + moreDigits(value);
  const problem = valueProblem(value, bytes);
  return { value: problem === null ? value : null, bytes, problem };
}

/** Browsers name the place in different ways: as line and column, or as the number of characters before it. */
function syntaxProblem({ message }: Error, text: string): string {
  const named = /line (\d+) column (\d+)/.exec(message);
  const position = /position (\d+)/.exec(message)?.[1];
  if (named) return `This is no JSON: look at line ${named[1]}, column ${named[2]}.`;
  if (position === undefined) return 'This is no JSON: its end is missing.';
  const lines = text.slice(0, Number(position)).split('\n');
  return `This is no JSON: look at line ${lines.length}, column ${lines.at(-1)!.length + 1}.`;
}

function valueProblem(value: unknown, bytes: number): string | null {
  if (depthOf(value) > deepest) return `The payload nests at most ${deepest} levels.`;
  const problem = partProblem(value);
  if (problem !== null) return problem;
  return bytes > largestPayload ? `The payload has at most ${largestPayload.toLocaleString('en')} bytes.` : null;
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function partProblem(value: unknown): string | null {
  if (typeof value === 'number') return numberProblem(value);
  if (typeof value === 'string') return textProblem(value);
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, part] of Object.entries(value)) {
    const problem = textProblem(key) ?? partProblem(part);
    if (problem !== null) return problem;
  }
  return null;
}

function numberProblem(value: number): string | null {
  if (!Number.isFinite(value)) return 'A number is larger than JSON readers can hold.';
  const exact = !Number.isInteger(value) || Number.isSafeInteger(value);
  return exact ? null : 'A whole number beyond 9007199254740991 would be rounded: write it as a text.';
}

function textProblem(text: string): string | null {
  return text.includes('\0') || !text.isWellFormed() ? 'A text has a character that cannot be stored.' : null;
}

/** How many more characters the numbers have when they are written out: 1e-7 is 0.0000001. */
function moreDigits(value: unknown): number {
  if (typeof value === 'object' && value !== null)
    return Object.values(value).reduce((sum: number, part) => sum + moreDigits(part), 0);
  const parts = typeof value === 'number' ? /^-?(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(String(value)) : null;
  if (!parts) return 0;
  const digits = 1 + (parts[2]?.length ?? 0);
  const exponent = Number(parts[3]);
  const written = exponent < 0 ? 1 - exponent + digits : Math.max(digits, exponent + 1);
  return written - parts[0].replace('-', '').length;
}

/** With line breaks; text that is no JSON stays as it is. */
export function formatted(text: string): string {
  const { value, problem } = payloadOf(text);
  return problem !== null || text.trim() === '' ? text : JSON.stringify(value, null, 2);
}
