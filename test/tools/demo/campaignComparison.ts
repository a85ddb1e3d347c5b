// Compares the counts of `Campaign.stats` with the counts of the devices, and the shows on each device with the caps.
import type { ShownCampaign } from './adminReads.ts';
import { add, noCounts, outcomes, type CampaignCounts } from './simulation/campaignCounts.ts';
import type { Ledger } from './simulation/ledger.ts';
import type { StagedCampaign } from './stage.ts';

export interface CampaignRow {
  name: string;
  state: string;
  /** The devices' counts of acknowledged events. */
  counted: CampaignCounts;
  /** The counts of the admin API. */
  served: CampaignCounts;
}

export interface CampaignComparison {
  rows: CampaignRow[];
  problems: string[];
}

/** `served` is by campaign id. `now` is the start of the run: no device may show a campaign that starts later. */
export function compareCampaigns(
  campaigns: StagedCampaign[],
  { ledgers, served, now }: { ledgers: Ledger[]; served: Map<string, ShownCampaign | null>; now: Date },
): CampaignComparison {
  const rows = campaigns.map(({ id, input: { name } }) => {
    const counted = ledgers.map(({ campaignCounts }) => campaignCounts.get(id) ?? noCounts()).reduce(add, noCounts());
    const campaign = served.get(id);
    return { name, state: campaign?.state ?? 'UNKNOWN', counted, served: campaign?.counts ?? noCounts() };
  });
  const early = campaigns.flatMap(({ input: { name, schedule } }, index) =>
    (schedule?.startAt ?? now) > now && rows[index]!.counted.shown > 0 ? [`${name} was shown before its start`] : [],
  );
  return { rows, problems: [...rows.flatMap(differencesOf), ...early, ...capProblems(campaigns, ledgers)] };
}

function differencesOf({ name, state, counted, served: servedOf }: CampaignRow): string[] {
  if (state === 'UNKNOWN') return [`${name}: the admin API does not know it`];
  return outcomes
    .filter((outcome) => counted[outcome] !== servedOf[outcome])
    .map(
      (outcome) => `${name}: ${outcome} is ${counted[outcome]} on the devices and ${servedOf[outcome]} in the service`,
    );
}

/** Checks the two caps that need no clock. */
function capProblems(campaigns: StagedCampaign[], ledgers: Ledger[]): string[] {
  const problems: string[] = [];
  for (const { id, input } of campaigns) {
    const { total, perSession } = input.frequency ?? {};
    for (const { deviceId, shows } of ledgers) {
      const own = shows.filter(({ campaignId }) => campaignId === id);
      const inOneSession = mostOfOne(own.map(({ sessionId }) => sessionId));
      if (own.length > (total ?? Infinity)) problems.push(`${input.name}: ${own.length} shows on ${deviceId}`);
      if (inOneSession > (perSession ?? Infinity)) {
        problems.push(`${input.name}: ${inOneSession} shows in one session of ${deviceId}`);
      }
    }
  }
  return problems;
}

function mostOfOne(words: string[]): number {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}
