// The frame of the programs beside the service: each reads the configuration, does one thing, prints the result, and ends.
import { readConfig, type Config } from '../config.ts';
import { createLog, type Log } from '../platform/observability/log.ts';

/** Prints the text that `work` returns. Prints the message of an error on standard error, with exit code 1. */
export async function runProgram(work: (config: Config, log: Log) => Promise<string>): Promise<void> {
  try {
    const config = readConfig(process.env);
    process.stdout.write(`${await work(config, createLog(config.logLevel))}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

const databaseSettings = [
  'DATABASE_URL',
  'ALLOW_PRODUCTION_DATABASE',
  'DATA_DIR',
  'DATABASE_POOL_SIZE',
  'DATABASE_TIMEOUT_MILLIS',
] as const;
const accountSettings = ['NODE_ENV', ...databaseSettings, 'DASHBOARD_URL', 'LOG_LEVEL'] as const;

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

export function accountConfig(env = process.env): AccountConfig {
  return readConfig(env, accountSettings);
}
