// The command line of the demo.
import { parseArgs } from 'node:util';

export interface DemoOptions {
  devices: number;
  days: number;
  seed: number;
  /** Absent: the service of this environment. */
  baseUrl: string | undefined;
  /** Absent: that of the demo workspace. */
  login: { email: string; password: string } | undefined;
}

export class UsageError extends Error {}

export const helpText = `Simulates devices with the reference SDK client (test/tools/demo/sdk) against a running service: sessions and
events, campaigns, attribution, purchases at a fake store. Then compares what they recorded, counted and bought with what
the service has stored and its admin API says. Ends with 0 only when everything agrees.

  npm run demo -- [options]

  --devices <n>    number of devices (300)
  --days <n>       simulated days of each device, ending now (3)
  --seed <n>       repeats a run, but for ids and timing (random; printed at the start)
  --base-url <url> of the service (http://127.0.0.1:<PORT>)
  --email <email>  login of a dashboard user who may create applications, together with
  --password <pw>  its password (those of the demo workspace)
  --help

Start the service first, with npm start, and run the demo with the same environment (PORT, DATABASE_URL, DATA_DIR): the
stored data is read back from the service's database, and the service finds the fake store by a file in DATA_DIR. The
service may be killed and started again meanwhile. Each run has an application of its own, and leaves it there.
`;

/** Null asks for help. Throws a UsageError. */
export function readOptions(args: string[]): DemoOptions | null {
  const values = parse(args);
  if (values.help) return null;
  if ((values.email === undefined) !== (values.password === undefined))
    throw new UsageError('--email and --password go together.');
  return {
    devices: wholeNumber('--devices', values.devices ?? '300', [1, 10_000]),
    days: wholeNumber('--days', values.days ?? '3', [1, 60]),
    seed: wholeNumber('--seed', values.seed ?? String(Math.floor(Math.random() * 1e6)), [0, 2 ** 32 - 1]),
    baseUrl: values['base-url'] === undefined ? undefined : baseUrl(values['base-url']),
    login:
      values.email === undefined || values.password === undefined
        ? undefined
        : { email: values.email, password: values.password },
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
      email: text,
      password: text,
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
