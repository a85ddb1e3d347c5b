// Reads the command line of the demo.
import { readCommandLine, wrongCommandLine } from '../../../src/platform/commandLine.ts';

export interface DemoOptions {
  devices: number;
  days: number;
  seed: number;
  /** Default: the service of this environment. */
  baseUrl: string | undefined;
  /** Default: the login of the demo workspace. */
  login: { email: string; password: string } | undefined;
}

/** The demo cannot run with this environment or this service. */
export class UsageError extends Error {}

const usage = `Usage: npm run demo -- [options]

Simulates devices with the reference SDK (test/tools/demo/sdk) against a running service: sessions and events,
campaigns, attribution, and purchases at a fake store. Customers subscribe, upgrade, restore and get refunds. Then compares
the devices' records and the store's sales with the stored data and with the responses of the admin API, the reads of analytics included. Ends with 0 only when everything agrees.

  --devices <n>    number of devices (300)
  --days <n>       simulated days of each device, ending now (3)
  --seed <n>       repeats a run, except ids and timing (random; printed at the start)
  --base-url <url> base URL of the service (http://127.0.0.1:<PORT>)
  --email <email>  login of a dashboard user who may create applications (the demo workspace's login)
  --password <pw>  password of that user; give both or neither

Start the service first, with npm start, and run the demo with the same environment (.env.example): it needs PORT,
DATABASE_URL and DATA_DIR. The demo reads the stored data from the service's database, and the service finds the fake store by a file in DATA_DIR. You
may kill and restart the service during a run. Each run creates an application and does not delete it.
`;

const text = { type: 'string' } as const;
const known = { devices: text, days: text, seed: text, 'base-url': text, email: text, password: text };

/** Null when help or the version was asked for, and printed. Throws a WrongCommandLine. */
export function readOptions(args: string[]): DemoOptions | null {
  const values = readCommandLine(usage, known, args);
  if (values === null) return null;
  if ((values.email === undefined) !== (values.password === undefined))
    throw wrongCommandLine('--email and --password go together', usage);
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

function wholeNumber(flag: string, given: string, [low, high]: [number, number]): number {
  const value = /^[0-9]+$/.test(given) ? Number(given) : NaN;
  if (value >= low && value <= high) return value;
  throw wrongCommandLine(`${flag} must be a whole number from ${low} to ${high}, not "${given}"`, usage);
}

function baseUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw wrongCommandLine(`--base-url must be an http(s) URL, not "${given}"`, usage);
  return given.replace(/\/+$/, '');
}
