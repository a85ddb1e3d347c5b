// The frame of the programs beside the service: each reads its settings, does one thing, prints the result, and ends.
import { readConfig, type Config, type Setting } from '../config.ts';
import { readCommandLine, reportFailure } from '../platform/commandLine.ts';
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
