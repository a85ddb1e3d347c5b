// `npm run conformance`: the vectors and the ingest rules of the contract against any running service.
import { parseArgs } from 'node:util';
import { ingestRules } from './ingestRules.ts';
import { report } from './report.ts';
import { judge } from './rule.ts';
import { openService } from './service.ts';
import { vectorRules } from './vectorRules.ts';

const helpText = `Checks a running service against the contract: the vectors of test/vectors, and what a client can see of the ingest
rules: signature, clock, replay, repetition, limits, error bodies. Prints a table; ends with 0 when every rule is kept.

  npm run conformance -- --base-url <url> --key <public key> --secret <secret key> [--verbose]

Take an application made for it: some made-up sessions stay in it. It sends some three hundred requests.
`;

async function run(args: string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = { 'base-url': text, key: text, secret: text, verbose: flag, help: flag };
  const { values } = parseArgs({ args, options });
  const { 'base-url': baseUrl, key, secret } = values;
  if (values.help || !baseUrl || !key || !secret) {
    process.stdout.write(helpText);
    return values.help ? 0 : 2;
  }
  const verdicts = await judge([...ingestRules, ...vectorRules()], await openService({ baseUrl, key, secret }));
  process.stdout.write(`${report(verdicts, values.verbose ?? false)}\n`);
  return verdicts.every(({ problem }) => problem === null) ? 0 : 1;
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
