// The command line of `npm run bench:growth`.
import { readCommandLine } from '../../../../src/platform/commandLine.ts';
import { wholeNumber } from '../options.ts';

export interface GrowthOptions {
  events: number;
  rounds: number;
  seconds: number;
  requests: number;
  patient: boolean;
  seed: number;
  json: string | undefined;
}

const usage = `Usage: npm run bench:growth -- [options]

Measures uploads and the dashboard's reads beside a long history.

  --events <n>      events stored beforehand (10000000); ten in each session
  --rounds <n>      rounds of which the medians are shown (15)
  --seconds <n>     of uploads in each phase (2): short, since the machine changes its speed
  --requests <n>    of each read of the dashboard in each round (300)
  --patient         repeats what was disturbed
  --seed <n>        of the uploads (1)
  --json <file>     writes the results there instead of printing them

It starts its own PostgreSQL in a temporary folder, which grows to 450 bytes for each event and is removed at the end.
`;

const text = { type: 'string' } as const;
const ofLoad = { rounds: text, seconds: text, requests: text, patient: { type: 'boolean' } } as const;
const known = { events: text, seed: text, json: text, ...ofLoad };

/** Null when help or the version was asked for, and printed. Throws a WrongCommandLine. */
export function readGrowthOptions(args: string[]): GrowthOptions | null {
  const values = readCommandLine(usage, known, args);
  if (values === null) return null;
  return {
    events: wholeNumber('--events', values.events ?? '10000000', [10_000, 1_000_000_000]),
    rounds: wholeNumber('--rounds', values.rounds ?? '15', [1, 100]),
    seconds: wholeNumber('--seconds', values.seconds ?? '2', [1, 120]),
    requests: wholeNumber('--requests', values.requests ?? '300', [20, 100_000]),
    patient: values.patient ?? false,
    seed: wholeNumber('--seed', values.seed ?? '1', [0, 2 ** 32 - 1]),
    json: values.json,
  };
}
