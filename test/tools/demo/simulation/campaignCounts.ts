// Counts the outcomes of each campaign on the devices, without the service's code.
// The names are those of `Campaign.stats` in schema.graphql.
import type { SessionEvent } from '../sdk/wire.ts';

export const outcomes = [
  'shown',
  'completed',
  'dismissed',
  'unavailable',
  'skippedNoPresenter',
  'skippedNoContinuation',
  'timedOut',
  'presenterFailed',
  'presenterReported',
] as const;

export type Outcome = (typeof outcomes)[number];
export type CampaignCounts = Record<Outcome, number>;

export const noCounts = (): CampaignCounts =>
  Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as CampaignCounts;

/** The counts by campaign id. */
export type CountsByCampaign = Map<string, CampaignCounts>;

export function count(counts: CountsByCampaign, { name, params }: Pick<SessionEvent, 'name' | 'params'>): void {
  if (name !== 'CampaignShown' && name !== 'CampaignResolved') return;
  const value = (param: string): unknown => params.find((other) => other.name === param)?.value;
  const id = String(value('campaignId'));
  const ofCampaign = counts.get(id) ?? noCounts();
  counts.set(id, ofCampaign);
  // `SkippedNoPresenter` on the wire is `skippedNoPresenter` in the admin API. The other outcomes follow the same rule.
  const words = name === 'CampaignShown' ? ['shown'] : [value('result'), value('unavailableReason')];
  for (const word of words) {
    const outcome = typeof word === 'string' ? word.slice(0, 1).toLowerCase() + word.slice(1) : '';
    if (isOutcome(outcome)) ofCampaign[outcome] += 1;
  }
}

export function add(one: CampaignCounts, other: CampaignCounts): CampaignCounts {
  return Object.fromEntries(outcomes.map((outcome) => [outcome, one[outcome] + other[outcome]])) as CampaignCounts;
}

function isOutcome(word: string): word is Outcome {
  return (outcomes as readonly string[]).includes(word);
}
