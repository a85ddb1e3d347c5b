// The command line of `npm run bench`.
import { readCommandLine, wrongCommandLine } from '../../../src/platform/commandLine.ts';
import { defaultShapes, shapes, type Shape } from './shapes.ts';

export const targetLetters = ['P', 'M', 'F', 'D', 'S', 'W', 'T', 'B', 'N', 'C', 'V', 'H'] as const;
export type TargetLetter = (typeof targetLetters)[number];

export interface BenchOptions {
  rounds: number;
  seconds: number;
  connections: number;
  seed: number;
  shapes: Shape[];
  signed: boolean[];
  only: TargetLetter[];
  load: 'auto' | 'node' | 'wrk';
  against: string[];
  profile: string | undefined;
  statements: boolean;
  patient: boolean;
  json: string | undefined;
}

const usage = `Usage: npm run bench -- [options]

Measures the ingest of session uploads side by side, in interleaved rounds.

  --rounds <n>      rounds of which the medians are shown (7)
  --seconds <n>     of load in each phase (2)
  --shapes <list>   of ${shapes.map(({ name }) => name).join(', ')}: sessions × events of an upload, × uploads of
                    a session (${defaultShapes.join(', ')})
  --signing <list>  of signed, unsigned (both)
  --only <list>     of the targets (P,N,C,V,H):
                    P  this service
                    M  this service in as many processes as there are cores (not unless asked for)
                    F  this service in three processes by role, admin and worker at nice 10, with a copy for analytics
                       that follows (not unless asked for)
                    D  the same, and ten dashboards ask the copy (not unless asked for)
                    S  the same, and eight connections without a login send it the worst documents (not unless
                       asked for)
                    W  the same, and ten clients of a user ask for all events of a device under twelve aliases (not
                       unless asked for)
                    T  this service, and a collector takes its traces: all, or the part BENCH_TRACE_RATIO (not
                       unless asked for)
                    B  the service of other built checkouts, named by --against
                    N  a naive reference: one transaction for each upload, a statement for each row
                    C  the limit: COPY of the same rows on one connection
                    V  this service without its database
                    H  plain node:http with JSON.parse
  --connections <n> of the load generator (64)
  --load <which>    node, wrk, or auto: wrk where it is installed (auto)
  --against <dirs>  built checkouts of this project to compare with, interleaved
  --profile <dir>   writes a .cpuprofile of the service there
  --statements      prints PostgreSQL's statements with the most time
  --patient         repeats what was disturbed
  --seed <n>        of the uploads (1)
  --json <file>     writes the results there instead of printing them

It starts its own PostgreSQL in a temporary folder and leaves nothing behind. Close other programs first.
`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const known = {
  ...{ rounds: text, seconds: text, connections: text, seed: text },
  ...{ shapes: text, signing: text, only: text, load: text, against: text },
  ...{ profile: text, json: text, statements: flag, patient: flag },
};

/** Null when help or the version was asked for, and printed. Throws a WrongCommandLine. */
export function readOptions(args: string[]): BenchOptions | null {
  const values = readCommandLine(usage, known, args);
  if (values === null) return null;
  const only = choices('--only', values.only ?? 'P,N,C,V,H', targetLetters);
  const against = values.against?.split(',') ?? [];
  if (against.length > 0) only.push('B');
  else if (only.includes('B')) throw wrongCommandLine('B needs --against', usage);
  const names = choices(
    '--shapes',
    values.shapes ?? defaultShapes.join(','),
    shapes.map(({ name }) => name),
  );
  return {
    rounds: wholeNumber('--rounds', values.rounds ?? '7', [1, 100]),
    seconds: wholeNumber('--seconds', values.seconds ?? '2', [1, 120]),
    connections: wholeNumber('--connections', values.connections ?? '64', [1, 1_000]),
    seed: wholeNumber('--seed', values.seed ?? '1', [0, 2 ** 32 - 1]),
    shapes: shapes.filter(({ name }) => names.includes(name)),
    signed: choices('--signing', values.signing ?? 'signed,unsigned', ['signed', 'unsigned']).map(
      (each) => each === 'signed',
    ),
    only: targetLetters.filter((letter) => only.includes(letter)),
    load: choices('--load', values.load ?? 'auto', ['auto', 'node', 'wrk'] as const)[0]!,
    against,
    profile: values.profile,
    statements: values.statements ?? false,
    patient: values.patient ?? false,
    json: values.json,
  };
}

function choices<Choice extends string>(name: string, given: string, known: readonly Choice[]): Choice[] {
  const chosen = given.split(',').map((each) => each.trim());
  const unknown = chosen.filter((each) => !(known as readonly string[]).includes(each));
  if (unknown.length > 0)
    throw wrongCommandLine(`${name} takes ${known.join(', ')}, not "${unknown.join(', ')}"`, usage);
  return chosen as Choice[];
}

export function wholeNumber(name: string, given: string, [low, high]: [number, number]): number {
  const value = /^[0-9]+$/.test(given) ? Number(given) : NaN;
  if (value >= low && value <= high) return value;
  throw wrongCommandLine(`${name} must be a whole number from ${low} to ${high}, not "${given}"`, usage);
}
