// The frame of user:create and user:reset: reads the command line and the settings, and prints one link.
import type { Pool } from 'pg';
import { openPreparedDatabase } from '../compose/prepareDatabase.ts';
import { readCommandLine, reportFailure, wrongCommandLine } from '../platform/commandLine.ts';
import { isAppError } from '../platform/errors.ts';
import { inputRules, type InputRules } from '../platform/inputRules.ts';
import { createLog } from '../platform/observability/log.ts';
import { accountConfig, accountSettings, withSettings } from './runProgram.ts';

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
  work(wanted: Wanted, needs: { pool: Pool; dashboardUrl: string; now(): Date }): Promise<string>;
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
    return await work(wanted, { pool: database.pool, dashboardUrl: config.dashboardUrl, now: () => new Date() });
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
