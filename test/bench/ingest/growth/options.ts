// The command line of `npm run bench:growth`.
import { parseArgs } from 'node:util';
import { UsageError, wholeNumber } from '../options.ts';

export interface GrowthOptions {
  events: number;
  rounds: number;
  seconds: number;
  requests: number;
  patient: boolean;
  seed: number;
  json: string | undefined;
}

export const helpText = `Measures uploads and the dashboard's reads beside a long history.

  npm run bench:growth -- [options]

  --events <n>      events stored beforehand (10000000); ten in each session
  --rounds <n>      rounds of which the medians are shown (15)
  --seconds <n>     of uploads in each phase (2): short, since the machine changes its speed
  --requests <n>    of each read of the dashboard in each round (300)
  --patient         repeats what was disturbed
  --seed <n>        of the uploads (1)
  --json <file>     writes the results there instead of printing them
  --help

It starts its own PostgreSQL in a temporary folder, which grows to 450 bytes for each event and is removed at the end.
`;

/** Null when the arguments ask for help. Throws a UsageError. */
export function readGrowthOptions(args: string[]): GrowthOptions | null {
  const values = parse(args);
  if (values.help) return null;
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

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

function parse(args: string[]) {
  try {
    const options = { events: text, rounds: text, seconds: text, requests: text, seed: text, json: text } as const;
    return parseArgs({ args, options: { ...options, patient: flag, help: flag } }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
