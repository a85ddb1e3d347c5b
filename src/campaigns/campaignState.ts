// The states of a campaign (pure): the state by the clock, the allowed moves, and what each state needs. See schema.graphql, "States and moves".
import type { FieldError } from '../platform/errors.ts';
import type { CampaignContent, CampaignState } from './campaignRecord.ts';

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
