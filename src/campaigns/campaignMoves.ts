// The states through which a campaign has gone since the last event about it (pure).
import type { CampaignContent, CampaignState } from './campaignRecord.ts';
import { boundariesOf, stateAt } from './campaignState.ts';

export interface CampaignMove {
  from: CampaignState;
  to: CampaignState;
  at: Date;
}

type Scheduled = Pick<CampaignContent, 'state' | 'startAt' | 'endAt'>;

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
