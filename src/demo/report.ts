// The table at the end, and the line that says whether the numbers agree.
import type { Comparison } from './comparison.ts';
import { recordedEvents, type Ledger } from './simulation/ledger.ts';
import type { Tally } from './simulation/tally.ts';

const devicesListed = 20;

export function report(
  ledgers: Ledger[],
  tally: Tally,
  { storedEvents, storedSessions, disagreements }: Comparison,
): string {
  const sum = (count: (ledger: Ledger) => number): number =>
    ledgers.reduce((total, ledger) => total + count(ledger), 0);
  const { retried, clock_corrected, nonce_replaced, halved } = tally.steps;
  const rows: [label: string, value: number][] = [
    ['Devices', ledgers.length],
    ['Sessions recorded', sum(({ sessions }) => sessions.size)],
    ['Sessions stored, as read back', storedSessions],
    ['Events recorded', sum(recordedEvents)],
    ['Events acknowledged', sum(({ acknowledgedEventIds }) => acknowledgedEventIds.size)],
    ['Events stored, as read back', storedEvents],
    ['Uploads sent', tally.requests],
    ['Uploads acknowledged', tally.acknowledgedUploads],
    ['Retries, offline ones included', retried],
    ['Duplicates sent on purpose', tally.duplicates],
    ['Clock corrections', clock_corrected],
    ['Nonces replaced', nonce_replaced],
    ['Batches halved', halved],
  ];
  const table = rows.map(([label, value]) => `  ${label.padEnd(32)}${value.toLocaleString('en-US').padStart(12)}`);
  return `\n${table.join('\n')}\n\n${verdict(disagreements)}\n`;
}

function verdict(disagreements: Comparison['disagreements']): string {
  if (disagreements.length === 0) {
    return 'All agree: every session, event and user property recorded on a device is stored exactly once.';
  }
  const lines = disagreements
    .slice(0, devicesListed)
    .flatMap(({ deviceId, problems }) => [`  ${deviceId}`, ...problems.slice(0, 5).map((problem) => `    ${problem}`)]);
  const more = disagreements.length > devicesListed ? [`  and ${disagreements.length - devicesListed} more`] : [];
  return [`${disagreements.length} devices DISAGREE:`, ...lines, ...more].join('\n');
}
