// The frame of the programs beside the service: each reads its settings, does one thing, prints the result, and ends.
import { openPreparedDatabase } from '../compose/prepareDatabase.ts';
import { type Config, readConfig, type Setting } from '../config.ts';
import { readCommandLine, reportFailure, wrongCommandLine } from '../platform/commandLine.ts';
import type { AdminPool } from '../platform/database/transaction.ts';
import { isAppError } from '../platform/errors.ts';
import { inputRules, type InputRules } from '../platform/inputRules.ts';
import { createLog, type Log } from '../platform/observability/log.ts';

export interface Program {
  /** The first line says how to call the program. */
  usage: string;
  /**
   * The settings that it reads, all of them by default. It requires no others, so an operator need not give it secrets
   * that it does not use.
   */
  settings?: readonly Setting[];
  /** Returns the text to print. */
  work(config: Config, log: Log): Promise<string>;
}

/** Prints the message of an error on standard error, with exit code 1, and 2 for a wrong command line. */
export async function runProgram({ usage, settings, work }: Program): Promise<void> {
  try {
    if (readCommandLine(withSettings(usage, settings), {}) === null) return;
    const config = readConfig(process.env, settings);
    process.stdout.write(`${await work(config, createLog(config.logLevel))}\n`);
  } catch (error) {
    reportFailure(error);
  }
}

/** The text of `--help` names each setting that the program reads. */
export function withSettings(usage: string, settings?: readonly Setting[]): string {
  const others = settings ? ', and no other setting of the service' : '';
  return `${usage}It reads ${settings?.join(', ') ?? 'the settings of the service'} (.env.example)${others}.\n`;
}

/** For a program that migrates or distributes tables: DATABASE_URL is enough, also in production. */
export const schemaSettings = ['NODE_ENV', 'DATABASE_URL', 'DATA_DIR', 'LOG_LEVEL'] as const satisfies Setting[];

/** For a program that uses the tables. */
export const databaseSettings = [
  ...schemaSettings,
  'ALLOW_PRODUCTION_DATABASE',
  'DATABASE_POOL_SIZE',
  'DATABASE_TIMEOUT_MILLIS',
] as const satisfies Setting[];

/** What a program needs that changes accounts in the database and prints a link: none of the service's secrets. */
export type AccountConfig = Pick<
  Config,
  | 'production'
  | 'databaseUrl'
  | 'allowedProduction'
  | 'dataDir'
  | 'databasePoolSize'
  | 'databaseTimeoutMillis'
  | 'dashboardUrl'
  | 'logLevel'
>;

export const accountSettings = [...databaseSettings, 'DASHBOARD_URL'] as const satisfies Setting[];

export function accountConfig(env = process.env): AccountConfig {
  return readConfig(env, accountSettings);
}

// The frame of user:create and user:reset: reads the command line and the settings, and prints one link.

export type Words = Record<string, string | undefined>;

interface CommandLine {
  /** The first line says how to call the program. */
  usage: string;
  /** Each takes a text. */
  options: readonly string[];
  required: readonly string[];
}

export interface AccountProgram<Wanted> extends CommandLine {
  /** Checks the words. Problems name the option: `--email`. */
  read(words: Words, rules: InputRules): Wanted;
  /** Returns the text to print. */
  work(wanted: Wanted, needs: { adminPool: AdminPool; dashboardUrl: string; now(): Date }): Promise<string>;
}

/** Exit code 2 for a wrong command line, 1 for a refusal or a failure: each is one line on standard error. */
export async function runAccountProgram<Wanted>(program: AccountProgram<Wanted>): Promise<void> {
  try {
    const words = readWords(program);
    if (words !== null) process.stdout.write(`${await run(program, check(program, words))}\n`);
  } catch (error) {
    reportFailure(error);
  }
}

async function run<Wanted>({ work }: AccountProgram<Wanted>, wanted: Wanted): Promise<string> {
  const config = accountConfig();
  const database = await openPreparedDatabase(config, createLog(config.logLevel));
  try {
    return await work(wanted, {
      adminPool: database.adminPool,
      dashboardUrl: config.dashboardUrl,
      now: () => new Date(),
    });
  } finally {
    await database.close();
  }
}

/** Null where the command line asks for help or the version. */
function readWords({ options, required, usage }: CommandLine): Words | null {
  const texts = Object.fromEntries(options.map((name) => [name, { type: 'string' as const }]));
  const words: Words | null = readCommandLine(withSettings(usage, accountSettings), texts);
  if (words === null) return null;
  const missing = required.filter((name) => words[name] === undefined);
  if (missing.length === 0) return words;
  throw wrongCommandLine(`${missing.map((name) => `--${name}`).join(', ')} is missing`, usage);
}

function check<Wanted>({ read, usage }: AccountProgram<Wanted>, words: Words): Wanted {
  const rules = inputRules();
  const wanted = read(words, rules);
  try {
    rules.assert();
  } catch (error) {
    if (!isAppError(error, 'validation_failed')) throw error;
    throw wrongCommandLine(error.details.fields.map(({ path, message }) => `${path} ${message}`).join('; '), usage);
  }
  return wanted;
}
