// The command line of the demo.
import { parseArgs } from 'node:util';

export interface DemoOptions {
  devices: number;
  days: number;
  seed: number;
  /** Absent: the service of this environment. */
  baseUrl: string | undefined;
  /** Absent: those of the demo application. */
  keys: { public: string; secret: string } | undefined;
}

export class UsageError extends Error {}

export const helpText = `Simulates devices with the reference SDK client (src/demo/sdk) against a running service,
then compares what they recorded with what the service has stored.

  npm run demo -- [options]

  --devices <n>    number of devices (300)
  --days <n>       simulated days of each device, ending now (3)
  --seed <n>       repeats a run, but for ids and timing (random; printed at the start)
  --base-url <url> of the service (http://127.0.0.1:<PORT>)
  --key <key>      public key of the application, together with
  --secret <key>   its secret key (those of the demo application)
  --help

Start the service first, with npm start, and run the demo with the same environment (PORT, DATABASE_URL, DATA_DIR):
the stored data is read back from the service's database. The service may be killed and started again meanwhile.
`;

/** Null asks for help. Throws a UsageError. */
export function readOptions(args: string[]): DemoOptions | null {
  const values = parse(args);
  if (values.help) return null;
  if ((values.key === undefined) !== (values.secret === undefined))
    throw new UsageError('--key and --secret go together.');
  return {
    devices: wholeNumber('--devices', values.devices ?? '300', [1, 10_000]),
    days: wholeNumber('--days', values.days ?? '3', [1, 60]),
    seed: wholeNumber('--seed', values.seed ?? String(Math.floor(Math.random() * 1e6)), [0, 2 ** 32 - 1]),
    baseUrl: values['base-url'] === undefined ? undefined : baseUrl(values['base-url']),
    keys:
      values.key === undefined || values.secret === undefined
        ? undefined
        : { public: values.key, secret: values.secret },
  };
}

const text = { type: 'string' } as const;

function parse(args: string[]) {
  try {
    const options = {
      devices: text,
      days: text,
      seed: text,
      'base-url': text,
      key: text,
      secret: text,
      help: { type: 'boolean', short: 'h' },
    } as const;
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function wholeNumber(flag: string, given: string, [low, high]: [number, number]): number {
  const value = /^[0-9]+$/.test(given) ? Number(given) : NaN;
  if (value >= low && value <= high) return value;
  throw new UsageError(`${flag} must be a whole number from ${low} to ${high}, not "${given}".`);
}

function baseUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UsageError(`--base-url must be an http(s) URL, not "${given}".`);
  return given.replace(/\/+$/, '');
}
