// Reads the command line of a program: its options, `--help` and `--version`. Everything else is refused with exit code 2.
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { version } from './projectRoot.ts';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<Own extends Options> = ReturnType<typeof parseArgs<{ args: string[]; options: Own }>>['values'];

/** A wrong command line: exit code 2, and the program has done nothing. */
export class WrongCommandLine extends Error {}

const general = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } } as const;
const footer = '--help prints this text, and --version the version. Neither does anything else.\n';

/**
 * Prints what `--help` or `--version` asks for and returns null. Throws a WrongCommandLine. The first line of `usage` says
 * how to call the program.
 */
export function readCommandLine<const Own extends Options>(
  usage: string,
  options: Own,
  args = process.argv.slice(2),
): Values<Own> | null {
  const values: Record<string, unknown> = parse(usage, { ...options, ...general }, args);
  if (values['help'] !== true && values['version'] !== true) return values as Values<Own>;
  process.stdout.write(values['help'] === true ? `${usage}\n${footer}` : `${version}\n`);
  return null;
}

/** For a program without options: whether it goes on. A wrong command line is reported here. */
export function goesOn(usage: string, args = process.argv.slice(2)): boolean {
  try {
    return readCommandLine(usage, {}, args) !== null;
  } catch (error) {
    reportFailure(error);
    return false;
  }
}

/** One line on standard error. The exit code is 2 for a wrong command line, and 1 for a refusal or a failure. */
export function reportFailure(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof WrongCommandLine ? 2 : 1;
}

export function wrongCommandLine(fault: string, usage: string): WrongCommandLine {
  return new WrongCommandLine(`${fault}. ${usage.split('\n')[0]!}`);
}

function parse(usage: string, options: Options, args: string[]): Record<string, unknown> {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    // The rest of the library's message is advice about its own options.
    const [fault] = (error as Error).message.split(/\.\s|\n/);
    throw wrongCommandLine(fault!, usage);
  }
}
