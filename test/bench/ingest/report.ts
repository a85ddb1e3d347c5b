// Writes the results as a table for people and as a record for programs.
import type { Phase } from './measure/phase.ts';
import { speedOf, wasQuiet } from './measure/quiet.ts';
import { median } from './measure/statistics.ts';
import type { Series } from './rounds.ts';

export interface Summary {
  target: string;
  name: string;
  shape: string;
  signed: boolean | null;
  rounds: number;
  eventsPerSecond: number;
  uploadsPerSecond: number | null;
  p50Millis: number | null;
  p99Millis: number | null;
  /** The median over the rounds of the service's rate divided by this target's rate in the same round. */
  serviceRatio: number | null;
  /** The same median over the rounds in which the machine was quiet for both. */
  quiet: { rounds: number; serviceRatio: number | null };
  cpuMicrosPerEvent: Record<'target' | 'postgres' | 'load', number | null>;
  otherCores: number | null;
  /** The cores' speed, as a share of their speed in the fastest phase. */
  speed: number | null;
}

export function summarize(all: Series[]): Summary[] {
  return all.map((series) => {
    const { phases, letter, name, shape, signed } = series;
    const of = (value: (phase: Phase) => number | null): number | null => {
      const values = phases.map(value).filter((each): each is number => each !== null && !Number.isNaN(each));
      return values.length === 0 ? null : rounded(median(values));
    };
    return {
      target: letter,
      name,
      shape,
      signed,
      rounds: phases.length,
      eventsPerSecond: of(({ eventsPerSecond }) => eventsPerSecond)!,
      uploadsPerSecond: of(({ uploadsPerSecond }) => uploadsPerSecond),
      p50Millis: of(({ p50Millis }) => p50Millis),
      p99Millis: of(({ p99Millis }) => p99Millis),
      ...ratios(series, all),
      cpuMicrosPerEvent: {
        target: of(({ cpuMicros }) => cpuMicros.target),
        postgres: of(({ cpuMicros }) => cpuMicros.postgres),
        load: of(({ cpuMicros }) => cpuMicros.load),
      },
      otherCores: of(({ otherCores }) => otherCores),
      speed: of((phase) => speedOf(phase, phases)),
    };
  });
}

function ratios(series: Series, all: Series[]): Pick<Summary, 'serviceRatio' | 'quiet'> {
  const service = series.letter === 'P' ? undefined : serviceBeside(series, all);
  if (!service) return { serviceRatio: null, quiet: { rounds: 0, serviceRatio: null } };
  const rounds = series.phases.map((phase, round) => {
    const beside = service.phases[round]!;
    const isQuiet = wasQuiet(phase, series.phases) && wasQuiet(beside, service.phases);
    return { isQuiet, ratio: beside.eventsPerSecond / phase.eventsPerSecond };
  });
  const quiet = rounds.filter(({ isQuiet }) => isQuiet);
  return { serviceRatio: ratioOf(rounds), quiet: { rounds: quiet.length, serviceRatio: ratioOf(quiet) } };
}

function ratioOf(rounds: { ratio: number }[]): number | null {
  return rounds.length === 0 ? null : rounded(median(rounds.map(({ ratio }) => ratio)));
}

/** COPY has one series per shape, and is compared with the signed uploads if there are any. */
function serviceBeside({ shape, signed }: Series, all: Series[]): Series | undefined {
  const services = all.filter((other) => other.letter === 'P' && other.shape === shape);
  return services.find((other) => other.signed === (signed ?? true)) ?? (signed === null ? services[0] : undefined);
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

const heads = ['shape', 'signed', '', 'target', 'events/s', 'uploads/s', 'P is × this', 'quiet', 'p50 ms', 'p99 ms'];
const cpuHeads = ['CPU µs/event: target', 'postgres', 'load', 'other cores', 'speed'];

/** The table in Markdown. */
export function table(summaries: Summary[]): string {
  const order = (summary: Summary): string => `${summary.shape} ${summary.signed === false ? 1 : 0}`;
  const sorted = [...new Set(summaries.map(order))].flatMap((key) => summaries.filter((each) => order(each) === key));
  const rows = sorted.map(({ shape, signed, target, name, cpuMicrosPerEvent: cpu, ...values }) => [
    ...[shape, signed === null ? '' : signed ? 'yes' : 'no', target, name],
    ...[
      whole(values.eventsPerSecond),
      whole(values.uploadsPerSecond),
      fixed(values.serviceRatio, 2),
      quietText(values.quiet),
    ],
    ...[fixed(values.p50Millis, 1), fixed(values.p99Millis, 1)],
    ...[
      fixed(cpu.target, 1),
      fixed(cpu.postgres, 1),
      fixed(cpu.load, 1),
      fixed(values.otherCores, 2),
      fixed(values.speed, 2),
    ],
  ]);
  return markdown([...heads, ...cpuHeads], rows);
}

export function markdown(head: string[], rows: string[][]): string {
  const widths = head.map((name, at) => Math.max(name.length, 3, ...rows.map((row) => row[at]!.length)));
  const numeric = head.map((_, at) => rows.every((row) => /^[\d.,\s−-]*$/.test(row[at]!)));
  const line = (cells: string[]): string =>
    `| ${cells.map((cell, at) => (numeric[at] ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!))).join(' | ')} |`;
  const rule = widths.map((width, at) => (numeric[at] ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

/** For each shape, the service and the limit round by round. */
export function roundTables(all: Series[]): string[] {
  return all.flatMap((limit) => {
    const service = limit.letter === 'C' ? serviceBeside(limit, all) : undefined;
    return service ? [`Rounds of ${limit.shape}:\n\n${roundTable(service, limit)}`] : [];
  });
}

function roundTable(service: Series, limit: Series): string {
  const cells = ({ phases }: Series, round: number): string[] => {
    const phase = phases[round]!;
    return [whole(phase.eventsPerSecond), fixed(speedOf(phase, phases), 2)];
  };
  const rows = service.phases.map(({ eventsPerSecond }, round) => {
    const ratio = eventsPerSecond / limit.phases[round]!.eventsPerSecond;
    return [String(round + 1), ...cells(service, round), ...cells(limit, round), fixed(ratio, 2)];
  });
  return markdown(['round', 'P events/s', 'speed', 'C events/s', 'speed', 'P/C'], rows);
}

/** The ratio, and the number of its rounds. */
function quietText({ rounds, serviceRatio }: Summary['quiet']): string {
  return serviceRatio === null ? '' : `${serviceRatio.toFixed(2)} (${rounds})`;
}

function whole(value: number | null): string {
  return value === null ? '' : Math.round(value).toLocaleString('en-US');
}

export function fixed(value: number | null, digits: number): string {
  return value === null ? '' : value.toFixed(digits);
}
