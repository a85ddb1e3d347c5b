// What the programs beside the service have in common: they read the configuration, do one thing, say what they did, and end.
import { readConfig, type Config } from '../config.ts';
import { createLog, type Log } from '../platform/observability/log.ts';

/** `work` answers what is printed. A problem is told in words on standard error, with exit code 1. */
export async function runProgram(work: (config: Config, log: Log) => Promise<string>): Promise<void> {
  try {
    const config = readConfig(process.env);
    process.stdout.write(`${await work(config, createLog(config.logLevel))}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
