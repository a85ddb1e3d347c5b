// Writes the text at the end of a run: the tables, and the line that says whether all numbers agree.
import { answersTable } from './answers/answersTable.ts';
import type { AnswersComparison } from './answers/figures.ts';
import type { AttributionComparison } from './attributionComparison.ts';
import type { CampaignComparison } from './campaignComparison.ts';
import { campaignTable } from './campaignTable.ts';
import type { Comparison } from './comparison.ts';
import type { Lived } from './customers/liveStories.ts';
import type { PurchaseComparison } from './purchaseComparison.ts';
import type { SalesComparison } from './sales/salesComparison.ts';
import { salesTable } from './sales/salesTable.ts';
import { recordedEvents, type Ledger } from './simulation/ledger.ts';
import type { PauseCounts } from './simulation/pauseWatch.ts';
import type { Tally } from './simulation/tally.ts';

export interface Findings {
  ledgers: Ledger[];
  tally: Tally;
  sessions: Comparison;
  campaigns: CampaignComparison;
  /** The counts of all devices together, and the campaign's name. */
  pause: PauseCounts & { name: string };
  purchases: PurchaseComparison;
  sales: SalesComparison & Pick<Lived, 'changes'> & { phones: number };
  attribution: AttributionComparison;
  responses: AnswersComparison;
}

const devicesListed = 20;

/** One line for each difference; empty when everything agrees. */
export function disagreements(findings: Findings): string[] {
  const { sessions, campaigns, pause, purchases, sales, attribution, responses: results } = findings;
  const perDevice = sessions.disagreements
    .slice(0, devicesListed)
    .flatMap(({ deviceId, problems }) => [deviceId, ...problems.slice(0, 5).map((problem) => `  ${problem}`)]);
  const more = sessions.disagreements.length - devicesListed;
  return [
    ...perDevice,
    ...(more > 0 ? [`and ${more} more devices`] : []),
    ...[campaigns, purchases, sales, attribution, results].flatMap(({ problems }) => problems.slice(0, devicesListed)),
    ...(pause.violations > 0
      ? [`${pause.name}: shown ${pause.violations} times after a flush that knew of its pause`]
      : []),
  ];
}

export function report(findings: Findings): string {
  const problems = disagreements(findings);
  const verdict =
    problems.length === 0
      ? 'All agree: the records, counts, reports and purchases of the devices are stored exactly once, and unchanged. The reads say what the devices counted.'
      : ['They DISAGREE:', ...problems.map((problem) => `  ${problem}`)].join('\n');
  const parts = [
    uploadTable(findings),
    campaignTable(findings.campaigns.rows),
    sentences(findings).join('\n'),
    salesTable(findings.sales.rows),
    answersTable(findings.responses.rows),
    verdict,
  ];
  return `\n${parts.join('\n\n')}\n`;
}

function uploadTable({ ledgers, tally, sessions }: Findings): string {
  const sum = (count: (ledger: Ledger) => number): number =>
    ledgers.reduce((total, ledger) => total + count(ledger), 0);
  const { retried, clock_corrected, nonce_replaced, halved, taken_out } = tally.steps;
  const rows: [label: string, value: number][] = [
    ["Devices, the customers' phones included", ledgers.length],
    ['Sessions recorded', sum((ledger) => ledger.sessions.size)],
    ['Sessions stored, as read back', sessions.storedSessions],
    ['Events recorded, bad ones excluded', sum(recordedEvents)],
    ['Events acknowledged', sum(({ acknowledgedEventIds }) => acknowledgedEventIds.size)],
    ['Events stored, as read back', sessions.storedEvents],
    ['Bad events recorded', sum(({ badEventIds }) => badEventIds.size)],
    ['Bad events kept on the devices', sum(({ keptEventIds }) => keptEventIds.size)],
    ['Requests sent', tally.requests],
    ['Session uploads acknowledged', tally.acknowledgedUploads],
    ['Retries, offline ones included', retried],
    ['Duplicates sent on purpose', tally.duplicates],
    ['Clock corrections', clock_corrected],
    ['Nonces replaced', nonce_replaced],
    ['Batches halved', halved],
    ['Batches sent without bad events', taken_out],
  ];
  return rows.map(([label, value]) => `  ${label.padEnd(40)}${value.toLocaleString('en-US').padStart(12)}`).join('\n');
}

function sentences({ pause, purchases, sales, attribution }: Findings): string[] {
  const { name, before, late, violations, chances } = pause;
  const {
    phones,
    changes: { notified, silent },
  } = sales;
  const { sold, acknowledged, lookedUp, resolved, notKnown, entitlements } = purchases;
  return [
    `  Pause        "${name}" was shown ${before} times before it was paused, and ${late} times by devices that had not`,
    `               flushed since. After their next flush ${chances} events would have set it off: shown ${violations} times.`,
    `  Purchases    ${sold} transactions, ${acknowledged} reported, ${lookedUp} looked up at the fake store: ${resolved} resolved with their renewals, ${notKnown} not known to it;`,
    `               ${entitlements} entitlements of devices in the admin API.`,
    `  Customers    ${phones} phones reported purchases. Later the store changed ${notified + silent} of these: it notified the service`,
    `               of ${notified}, and look-ups had to find ${silent}.`,
    `  Attribution  ${attribution.reported} devices reported, ${attribution.acknowledged} acknowledged, ${attribution.asReported} read back as reported.`,
  ];
}
