// The table of a run with a row for each fault, kept in files because every test file runs in a process of its own.
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface FaultRow {
  fault: string;
  injected: number;
  /** Events, or another unit of the fault, such as mails. */
  acknowledged: number;
  lost: number;
  doubled: number;
  neverSent: number;
  /** Null when no steady load could have noticed an outage. */
  longestOutageMillis: number | null;
  /** The number of responses by status; `none` means no complete response. */
  responses: Record<string, number>;
  /** The reason why this machine cannot inject the fault. */
  skipped?: string;
}

export function recordFaultRow(row: FaultRow): void {
  appendFileSync(path.join(process.env['FAULT_ROWS_DIR']!, String(process.pid)), `${JSON.stringify(row)}\n`);
}

/** Prints nothing when no fault was injected. Throws, after the table, when an event was lost or doubled. */
export function printFaultTable(folder: string): void {
  const lines = readdirSync(folder).flatMap((name) => readFileSync(path.join(folder, name), 'utf8').trim().split('\n'));
  const rows = lines.map((line) => JSON.parse(line) as FaultRow);
  if (rows.length === 0) return;
  process.stdout.write(`\n${faultTable(rows)}\n\n`);
  const bad = rows.filter(({ lost, doubled, neverSent }) => lost + doubled + neverSent > 0);
  if (bad.length > 0) throw new Error(`lost, doubled or never sent: ${bad.map(({ fault }) => fault).join(', ')}`);
}

const columns = [
  'fault',
  'times injected',
  'acknowledged',
  'lost',
  'doubled',
  'never sent',
  'longest outage',
  'responses',
];

export function faultTable(rows: FaultRow[]): string {
  const cells = rows.map(cellsOf).sort(([one], [other]) => (one! < other! ? -1 : 1));
  const widths = columns.map((name, index) =>
    Math.max(...[name, ...cells.map((row) => row[index]!)].map((text) => text.length)),
  );
  const line = (row: string[]) => `| ${row.map((text, index) => pad(text, widths[index]!, index)).join(' | ')} |`;
  const rule = widths.map((width, index) => (isText(index) ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(columns), `| ${rule.join(' | ')} |`, ...cells.map(line)].join('\n');
}

function cellsOf(row: FaultRow): string[] {
  if (row.skipped !== undefined) return [row.fault, '', '', '', '', '', '', `skipped: ${row.skipped}`];
  const { fault, injected, acknowledged, lost, doubled, neverSent, longestOutageMillis, responses: results } = row;
  const counted = [injected, acknowledged, lost, doubled, neverSent].map((count) => count.toLocaleString('en-US'));
  const outage = longestOutageMillis === null ? '' : `${(longestOutageMillis / 1_000).toFixed(1)} s`;
  const statuses = Object.entries(results).map(([status, count]) => `${status}: ${count.toLocaleString('en-US')}`);
  return [fault, ...counted, outage, statuses.sort().join(', ')];
}

const isText = (column: number) => column === 0 || column === columns.length - 1;

function pad(text: string, width: number, column: number): string {
  return isText(column) ? text.padEnd(width) : text.padStart(width);
}
