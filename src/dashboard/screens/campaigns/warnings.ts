// What the service takes and what its author may not mean: ends in the past, conditions that never hold, large payloads.
import type { ConditionOperator } from '../../../../generated/screens/campaigns/graphql.ts';
import { needsNoValue, words } from '../../parts/filters.ts';
import { instantOf } from '../../parts/range.ts';
import { hasAction, hasTrigger, payloadOf, type Content, type Draft } from './draft.ts';

interface Warning {
  /** The part of the form, as its heading names it. */
  at: string;
  text: string;
}

interface Around {
  timeZone: string;
  /** `iOS` or `Android`. */
  platform: string | null;
  state: string;
  now: number;
}

/** A device fetches the payloads of all campaigns with each change. */
const largePayload = 16_384;

export function warningsOf(draft: Draft, content: Content, around: Around): Warning[] {
  return [
    ...missing(draft, around),
    ...trigger(content),
    ...targeting(content, around),
    ...frequency(content),
    ...schedule(draft, content, around),
    ...payload(draft),
  ];
}

const warn = (at: string, text: string | false | null | undefined): Warning[] => (text ? [{ at, text }] : []);

function missing(draft: Draft, { state }: Around): Warning[] {
  const need = state === 'SCHEDULED' || state === 'ACTIVE' ? 'A running campaign needs one.' : 'It is needed to start.';
  return [
    ...warn('Trigger', !hasTrigger(draft) && `There is no event yet. ${need}`),
    ...warn('Action', !hasAction(draft) && `There is no action yet. ${need}`),
  ];
}

function trigger({ trigger: given }: Content): Warning[] {
  const { event = '', filters } = given ?? {};
  const isPadded = event.trim() !== event;
  const conditions = (filters ?? []).map(({ param, ...condition }) => ({ name: param, ...condition }));
  return [
    ...warn(
      'Trigger',
      isPadded && 'The name of the event begins or ends with a space, and devices compare it exactly.',
    ),
    ...conditionWarnings(conditions).map((text) => ({ at: 'Trigger', text })),
  ];
}

function targeting({ targeting: given }: Content, { platform }: Around): Warning[] {
  if (!given) return [];
  const { platforms = [], appVersion, appInstallVersion, userProperties } = given;
  const isElsewhere = platform !== null && platforms && platforms.length > 0 && !platforms.includes(platform);
  const isDowngrade =
    typeof appInstallVersion?.min === 'number' &&
    typeof appVersion?.max === 'number' &&
    appInstallVersion.min > appVersion.max;
  const groups = (userProperties ?? []).map((group) => conditionWarnings(group));
  return [
    ...warn('Targeting', isElsewhere && `The application is for ${platform}, so no device has these platforms.`),
    ...warn('Targeting', isDowngrade && 'Only devices that went back to an older version of the app can match.'),
    ...groups.flatMap((texts, index) =>
      texts.map((text) => ({ at: groups.length > 1 ? `Targeting, group ${index + 1}` : 'Targeting', text })),
    ),
  ];
}

function frequency({ frequency: caps, trigger: given }: Content): Warning[] {
  const { perSession, perDay, total } = caps ?? {};
  if (given && !caps) return warn('Frequency', 'Without a cap each such event sets the campaign off.');
  const isIdle = (cap: number | null | undefined, lower: number | null | undefined): boolean =>
    typeof cap === 'number' && typeof lower === 'number' && cap > lower;
  return [
    ...warn(
      'Frequency',
      isIdle(perDay, total) && 'The cap in a day is above the cap over all time, so it never counts.',
    ),
    ...warn(
      'Frequency',
      isIdle(perSession, total) && 'The cap in a session is above the cap over all time, so it never counts.',
    ),
  ];
}

function schedule({ schedule: local }: Draft, { schedule: given }: Content, around: Around): Warning[] {
  const { state, now, timeZone } = around;
  const isPast = (instant: unknown): boolean => typeof instant === 'string' && Date.parse(instant) <= now;
  const notStarted = state === 'DRAFT' || state === 'SCHEDULED' || state === 'PAUSED';
  return [
    ...warn('Schedule', isPast(given?.endAt) && 'The end is in the past: the campaign cannot run.'),
    ...warn(
      'Schedule',
      notStarted &&
        isPast(given?.startAt) &&
        !isPast(given?.endAt) &&
        'The start is in the past: once it is scheduled, it runs at once.',
    ),
    ...doubts('start', local.startAt, timeZone),
    ...doubts('end', local.endAt, timeZone),
  ];
}

function doubts(what: string, local: string, timeZone: string): Warning[] {
  const doubt = instantOf(local, timeZone)?.doubt ?? null;
  return [
    ...warn(
      'Schedule',
      doubt === 'twice' && `The clock is put back at the ${what}: the earlier of both times is taken.`,
    ),
    ...warn('Schedule', doubt === 'never' && `The clock is put forward over the ${what}: the time after it is taken.`),
  ];
}

function payload({ action }: Draft): Warning[] {
  const { bytes } = payloadOf(action.payload);
  return warn(
    'Action',
    bytes > largePayload &&
      `The payload has ${bytes.toLocaleString('en')} bytes. Every device downloads it with the campaigns.`,
  );
}

interface Condition {
  name: string;
  op: ConditionOperator;
  value?: unknown;
}

/** One text for each name of which no value fits. */
function conditionWarnings(conditions: readonly Condition[]): string[] {
  const names = [...new Set(conditions.map(({ name }) => name))];
  return names.flatMap((name) => {
    const clash = clashOf(conditions.filter((condition) => condition.name === name));
    if (clash === null) return [];
    return [`“${name}” never fits: it cannot be that it ${said(clash[0])} and ${said(clash[1])}.`];
  });
}

const said = ({ op, value }: Condition): string =>
  needsNoValue(op) ? words[op] : `${words[op]} ${typeof value === 'string' ? value : JSON.stringify(value)}`;

function clashOf(conditions: Condition[]): [Condition, Condition] | null {
  for (const [index, one] of conditions.entries()) {
    for (const other of conditions.slice(index + 1)) {
      if (clash(one, other) || clash(other, one)) return [one, other];
    }
  }
  return null;
}

const compare: Partial<Record<ConditionOperator, (value: string | number, than: string | number) => boolean>> = {
  GT: (value, than) => value > than,
  GTE: (value, than) => value >= than,
  LT: (value, than) => value < than,
  LTE: (value, than) => value <= than,
};

/** Whether no value fulfils both. Called both ways round. */
function clash(one: Condition, other: Condition): boolean {
  if (one.op === 'NOT_EXISTS') return other.op !== 'NOT_EXISTS';
  const allowed = one.op === 'EQ' ? [one.value] : one.op === 'IN' ? (one.value as unknown[]) : null;
  if (allowed) return !allowed.some((value) => holds(other, value));
  const isBelow = one.op === 'LT' || one.op === 'LTE';
  const isAbove = other.op === 'GT' || other.op === 'GTE';
  if (!isBelow || !isAbove || typeof one.value !== typeof other.value) return false;
  const [most, least] = [one.value as string | number, other.value as string | number];
  return most < least || (most === least && (one.op === 'LT' || other.op === 'GT'));
}

/** schema.graphql, "Conditions": values of different types are not equal and have no order. */
function holds({ op, value }: Condition, given: unknown): boolean {
  if (op === 'EXISTS') return true;
  if (op === 'NOT_EXISTS') return false;
  if (op === 'EQ') return given === value;
  if (op === 'NEQ') return given !== value;
  if (op === 'IN') return (value as unknown[]).includes(given);
  if (op === 'NOT_IN') return !(value as unknown[]).includes(given);
  if (op === 'CONTAINS') return typeof given === 'string' && given.includes(value as string);
  return typeof given === typeof value && compare[op]!(given as string | number, value as string | number);
}
