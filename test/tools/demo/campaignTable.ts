// Writes one line for each campaign: the counts of the devices beside `Campaign.stats` of the admin API.
import type { CampaignRow } from './campaignComparison.ts';
import { outcomes, type Outcome } from './simulation/campaignCounts.ts';

const headings: Record<Outcome, string> = {
  shown: 'shown',
  completed: 'completed',
  dismissed: 'dismissed',
  unavailable: 'unavailable',
  skippedNoPresenter: 'no present.',
  skippedNoContinuation: 'no contin.',
  timedOut: 'timed out',
  presenterFailed: 'failed',
  presenterReported: 'reported',
};
const nameWidth = 15;
const width = 12;

export function campaignTable(rows: CampaignRow[]): string {
  const cells = outcomes.map((outcome) => headings[outcome].padStart(width)).join('');
  return [
    '  Campaigns: count of the devices = count of the admin API, or ≠. The last three are the reasons of unavailable.',
    `  ${''.padEnd(nameWidth)}${'state'.padStart(10)}${cells}`,
    ...rows.map(line),
  ].join('\n');
}

function line({ name, state, counted, served: servedOf }: CampaignRow): string {
  const cells = outcomes.map((outcome) => {
    const sign = counted[outcome] === servedOf[outcome] ? '=' : '≠';
    return `${counted[outcome]}${sign}${servedOf[outcome]}`.padStart(width);
  });
  return `  ${name.padEnd(nameWidth)}${state.padStart(10)}${cells.join('')}`;
}
