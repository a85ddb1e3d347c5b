// The stored campaign (pure): its record, its states and moves, what devices get of it, and what an edit changed.
import { isDeepStrictEqual } from 'node:util';
import type { CampaignEditInput } from '../../generated/graphql.ts';
import type { components } from '../../generated/openapi.ts';
import type { Campaign } from '../../generated/prisma/client.ts';
import type { FieldError } from '../platform/errors.ts';
import type { InputRules } from '../platform/inputRules.ts';

export type CampaignState = 'DRAFT' | 'SCHEDULED' | 'ACTIVE' | 'PAUSED' | 'FINISHED' | 'ARCHIVED';

export type ConditionOperator =
  'EQ' | 'NEQ' | 'GT' | 'GTE' | 'LT' | 'LTE' | 'IN' | 'NOT_IN' | 'CONTAINS' | 'EXISTS' | 'NOT_EXISTS';

export type ConditionValue = string | number | boolean | (string | number | boolean)[];

/** `value` is null or absent for EXISTS and NOT_EXISTS. */
export interface Condition {
  op: ConditionOperator;
  value?: ConditionValue | null | undefined;
}

export interface StoredTrigger {
  event: string;
  type: 'CUSTOM' | 'SYSTEM';
  filters?: (Condition & { param: string })[] | null;
}

export interface StoredRange {
  min?: number | null;
  max?: number | null;
}

/** A null or absent member restricts nothing. */
export interface StoredTargeting {
  platforms?: ('iOS' | 'Android')[] | null;
  appVersion?: StoredRange | null;
  osVersion?: StoredRange | null;
  sdkVersion?: StoredRange | null;
  appInstallVersion?: StoredRange | null;
  countries?: string[] | null;
  /** A user matches when all conditions of any group hold. */
  userProperties?: (Condition & { name: string })[][] | null;
}

export interface StoredFrequency {
  perSession?: number | null;
  perDay?: number | null;
  total?: number | null;
  cooldownSeconds?: number | null;
}

export interface StoredAction {
  type: string;
  /** Any JSON value. */
  payload?: unknown;
  blocking?: boolean | null;
  deadlineSeconds?: number | null;
}

/** The part that an edit or a move may change. */
export interface CampaignContent {
  name: string;
  description: string | null;
  /** The state that a user last set. `stateAt` (campaignRecord.ts) derives the state now. */
  state: CampaignState;
  priority: number;
  trigger: StoredTrigger | null;
  targeting: StoredTargeting | null;
  frequency: StoredFrequency | null;
  action: StoredAction | null;
  startAt: Date | null;
  endAt: Date | null;
}

export type StoredCampaign = Omit<Campaign, keyof CampaignContent> & CampaignContent;

/** See schema.graphql, "States and moves". */
const moves: Record<CampaignState, readonly CampaignState[]> = {
  DRAFT: ['SCHEDULED', 'ACTIVE', 'ARCHIVED'],
  SCHEDULED: ['DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED'],
  ACTIVE: ['PAUSED', 'FINISHED'],
  PAUSED: ['ACTIVE', 'FINISHED', 'ARCHIVED'],
  FINISHED: ['ARCHIVED'],
  ARCHIVED: [],
};

type Scheduled = Pick<CampaignContent, 'state' | 'startAt' | 'endAt'>;

/** The state now. It is derived at each read, so no timer can fail. */
export function stateAt({ state, startAt, endAt }: Scheduled, now: Date): CampaignState {
  if (!isPublished(state)) return state;
  if (endAt && endAt <= now) return 'FINISHED';
  return state === 'SCHEDULED' && startAt && startAt <= now ? 'ACTIVE' : state;
}

/** Whether devices get a campaign that is in this state now. */
export function isPublished(state: CampaignState): boolean {
  return state === 'SCHEDULED' || state === 'ACTIVE';
}

/** The instants at which the clock alone changes the state, in order. */
export function boundariesOf({ state, startAt, endAt }: Scheduled): Date[] {
  if (!isPublished(state)) return [];
  const start = state === 'SCHEDULED' && startAt && !(endAt && endAt <= startAt) ? [startAt] : [];
  return endAt ? [...start, endAt] : start;
}

/** The moves from the state now; the state itself is not among them. */
export function allowedTransitions(state: CampaignState): CampaignState[] {
  return [...moves[state]];
}

export type Move =
  | { outcome: 'moved' | 'unchanged' }
  | { outcome: 'illegal'; allowed: CampaignState[] }
  /** The campaign lacks fields that the wanted state needs. Paths begin at the campaign. */
  | { outcome: 'incomplete'; fields: FieldError[] };

/** A move to the present state succeeds and changes nothing, also when the clock has brought the campaign there. */
export function judgeMove(campaign: CampaignContent, wanted: CampaignState, now: Date): Move {
  const state = stateAt(campaign, now);
  if (state === wanted) return { outcome: 'unchanged' };
  if (!moves[state].includes(wanted)) return { outcome: 'illegal', allowed: allowedTransitions(state) };
  const fields = missingFor(wanted, campaign, now);
  return fields.length > 0 ? { outcome: 'incomplete', fields } : { outcome: 'moved' };
}

/** The fields that a campaign lacks for a state. An edit must leave the campaign complete for its state. */
export function missingFor(
  state: CampaignState,
  { trigger, action, startAt, endAt }: CampaignContent,
  now: Date,
): FieldError[] {
  if (!isPublished(state)) return [];
  const fields: FieldError[] = [];
  const lacks = (path: string, message: string): void => void fields.push({ path, message });
  if (!trigger) lacks('trigger', `is needed by a campaign that is ${state}`);
  if (!action) lacks('action', `is needed by a campaign that is ${state}`);
  if (state === 'SCHEDULED' && !startAt) lacks('schedule.startAt', 'is needed by a campaign that is SCHEDULED');
  if (endAt && endAt <= now) lacks('schedule.endAt', 'must be in the future');
  return fields;
}

export interface CampaignMove {
  from: CampaignState;
  to: CampaignState;
  at: Date;
}

/** The moves by the clock that `told`, the state of the last event, does not know of. */
export function movesByClock(told: CampaignState, campaign: Scheduled, now: Date): CampaignMove[] {
  const passed = boundariesOf(campaign)
    .filter((at) => at <= now)
    .map((at) => ({ at, to: stateAt(campaign, at) }));
  // After the one that was told, or all of them.
  const known = passed.findLastIndex(({ to }) => to === told);
  return chain(told, passed.slice(known + 1));
}

/** The moves from one state to the next. A step to the same state is none. */
export function chain(from: CampaignState, steps: readonly { to: CampaignState; at: Date }[]): CampaignMove[] {
  const moves: CampaignMove[] = [];
  let state = from;
  for (const { to, at } of steps) {
    if (to !== state) moves.push({ from: state, to, at });
    state = to;
  }
  return moves;
}

/** When the clock changes the state next. Null: never. */
export function nextBoundary(campaign: Scheduled, now: Date): Date | null {
  return boundariesOf(campaign).find((at) => at > now) ?? null;
}

type Schemas = components['schemas'];

/**
 * The campaign as devices get it (openapi.yaml, "Fetching"): the same record at every request until the campaign changes.
 * Null without trigger or action: no move lets it run.
 */
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

function deliveredTrigger({ event, type, filters }: StoredTrigger): Schemas['CampaignTrigger'] {
  const conditions = (filters ?? []).map(({ param, ...condition }) => ({ param, ...deliveredCondition(condition) }));
  return { event, type, filters: conditions };
}

function deliveredTargeting(targeting: StoredTargeting): Schemas['CampaignTargeting'] {
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

function deliveredFrequency(frequency: StoredFrequency): Schemas['CampaignFrequency'] {
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

function deliveredAction({ type, payload, blocking, deadlineSeconds }: StoredAction): Schemas['CampaignAction'] {
  const waits = blocking ?? false;
  return { type, payload: payload ?? null, blocking: waits, deadlineSeconds: waits ? (deadlineSeconds ?? null) : null };
}

/** A new field of the input does not compile before it has its place in `fields` and in `parts`. */
type Editable = Exclude<keyof CampaignEditInput, 'id' | 'applicationId' | 'expectedVersion'>;

const fields: Record<Editable, (content: CampaignContent) => unknown> = {
  name: ({ name }) => name,
  description: ({ description }) => description,
  priority: ({ priority }) => priority,
  trigger: ({ trigger }) => trigger,
  targeting: ({ targeting }) => targeting,
  frequency: ({ frequency }) => frequency,
  schedule: ({ startAt, endAt }) => [startAt, endAt],
  action: ({ action }) => action,
};

/**
 * The fields that an edit changed, for the audit log. Compares two records from the database, where equal content has equal
 * numbers.
 */
export function editedFields(before: CampaignContent, after: CampaignContent): string[] {
  return Object.entries(fields).flatMap(([name, valueOf]) =>
    isDeepStrictEqual(valueOf(before), valueOf(after)) ? [] : [name],
  );
}

/** In the form in which devices get the values (schema.graphql, "History"). */
export interface FieldChange {
  /** `schedule.endAt` */
  field: string;
  before: unknown;
  after: unknown;
}

type Members = Record<string, unknown>;
type Absent<Part extends object> = Record<keyof Part, null>;

const noTrigger: Absent<Schemas['CampaignTrigger']> = { event: null, type: null, filters: null };
const noAction: Absent<Schemas['CampaignAction']> = {
  type: null,
  payload: null,
  blocking: null,
  deadlineSeconds: null,
};

/** In the order of the fields of `Campaign`. */
const parts: Record<Editable, (content: CampaignContent) => Members> = {
  name: ({ name }) => ({ name: name || null }),
  description: ({ description }) => ({ description }),
  priority: ({ priority }) => ({ priority }),
  trigger: ({ trigger }) => below('trigger', trigger ? deliveredTrigger(trigger) : noTrigger),
  targeting: ({ targeting }) => {
    const { appVersion, osVersion, sdkVersion, appInstallVersion, ...lists } = deliveredTargeting(targeting ?? {});
    const ranges = Object.entries({ appVersion, osVersion, sdkVersion, appInstallVersion });
    const shown = ranges.map(
      ([name, range]) => [name, range.min === null && range.max === null ? null : range] as const,
    );
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

const longestText = 8_192;
const longestList = 100;

/** Reports the problem of a value at its path. */
type Check = (rules: InputRules, path: string, value: unknown) => void;

const checks: Record<ConditionOperator, Check> = {
  EQ: checkPrimitive,
  NEQ: checkPrimitive,
  GT: checkOrdered,
  GTE: checkOrdered,
  LT: checkOrdered,
  LTE: checkOrdered,
  IN: checkList,
  NOT_IN: checkList,
  CONTAINS: checkPart,
  EXISTS: checkNothing,
  NOT_EXISTS: checkNothing,
};

/**
 * Reads one condition of an edit (schema.graphql, "Conditions"). `path` is the condition's. The stored condition has
 * no value where the operator takes none.
 */
export function readCondition(
  rules: InputRules,
  path: string,
  { op, value }: { op: ConditionOperator; value?: unknown },
): Condition {
  checks[op](rules, `${path}.value`, value ?? null);
  return value == null ? { op } : { op, value: value as ConditionValue };
}

function checkPrimitive(rules: InputRules, path: string, value: unknown): void {
  if (typeof value === 'string') rules.text(path, value, longestText);
  else if (typeof value === 'number') checkNumber(rules, path, value);
  else if (typeof value !== 'boolean') rules.refuse(path, 'must be a string, a number or a boolean');
}

/** Reading has rounded a larger whole number, so the comparison would use another number. */
function checkNumber(rules: InputRules, path: string, value: number): void {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    rules.refuse(path, 'must not be a whole number beyond 2^53-1');
  }
}

function checkOrdered(rules: InputRules, path: string, value: unknown): void {
  if (typeof value === 'string' || typeof value === 'number') checkPrimitive(rules, path, value);
  else rules.refuse(path, 'must be a number or a string');
}

function checkPart(rules: InputRules, path: string, value: unknown): void {
  if (typeof value === 'string' && value !== '') rules.text(path, value, longestText);
  else rules.refuse(path, 'must be a string that is not empty');
}

function checkList(rules: InputRules, path: string, value: unknown): void {
  if (!Array.isArray(value) || value.length < 1 || value.length > longestList) {
    rules.refuse(path, `must be a list of 1 to ${longestList} strings, numbers or booleans`);
  } else value.forEach((item, index) => checkPrimitive(rules, `${path}[${index}]`, item));
}

function checkNothing(rules: InputRules, path: string, value: unknown): void {
  if (value !== null) rules.refuse(path, 'must be absent: this operator compares with nothing');
}
