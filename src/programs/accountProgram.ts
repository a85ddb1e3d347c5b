// The frame of user:create and user:reset: reads the command line and the settings, and prints one link.
import { parseArgs } from 'node:util';
import type { Pool } from 'pg';
import { openPreparedDatabase } from '../compose/prepareDatabase.ts';
import { isAppError } from '../platform/errors.ts';
import { inputRules, type InputRules } from '../platform/inputRules.ts';
import { createLog } from '../platform/observability/log.ts';
import { accountConfig } from './runProgram.ts';

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

class WrongWords extends Error {}

/** Exit code 2 for a wrong command line, 1 for a refusal or a failure: each is one line on standard error. */
export async function runAccountProgram<Wanted>(program: AccountProgram<Wanted>): Promise<void> {
  try {
    const words = readWords(program);
    process.stdout.write(words === null ? program.usage : `${await run(program, check(program, words))}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = error instanceof WrongWords ? 2 : 1;
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

/** Null where the command line asks for help. */
function readWords({ options, required, usage }: CommandLine): Words | null {
  const words = parse(options, usage);
  if (words['help'] === true) return null;
  const missing = required.filter((name) => words[name] === undefined);
  if (missing.length > 0) throw wrong(`${missing.map((name) => `--${name}`).join(', ')} is missing`, usage);
  return words as Words;
}

function parse(options: readonly string[], usage: string): Record<string, string | boolean | undefined> {
  const texts = Object.fromEntries(options.map((name) => [name, { type: 'string' as const }]));
  try {
    return parseArgs({ options: { ...texts, help: { type: 'boolean' } } }).values;
  } catch (error) {
    // The rest of the library's message is advice about its own options.
    const [fault] = (error as Error).message.split(/\.\s|\n/);
    throw wrong(fault!, usage);
  }
}

function check<Wanted>({ read, usage }: AccountProgram<Wanted>, words: Words): Wanted {
  const rules = inputRules();
  const wanted = read(words, rules);
  try {
    rules.assert();
  } catch (error) {
    if (!isAppError(error, 'validation_failed')) throw error;
    throw wrong(error.details.fields.map(({ path, message }) => `${path} ${message}`).join('; '), usage);
  }
  return wanted;
}

function wrong(fault: string, usage: string): WrongWords {
  return new WrongWords(`${fault}. ${usage.split('\n')[0]!}`);
}
