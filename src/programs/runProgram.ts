// The frame of the programs beside the service: each reads the configuration, does one thing, prints the result, and ends.
import { readAccountConfig, readConfig, type AccountConfig, type Config } from '../config.ts';
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

/** For a program that has words of its own on the command line, and needs few settings. */
export function accountConfig(): AccountConfig {
  return readAccountConfig(process.env);
}
