// Reads the command line of the demo.
import { readCommandLine, wrongCommandLine } from '../../../src/platform/commandLine.ts';
import { usageOf } from '../usage.ts';

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

const usage = usageOf('test/tools/demo');

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
