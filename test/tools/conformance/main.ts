// `npm run conformance`: checks any running service against the vectors and the rules of openapi.yaml for uploads.
import { parseArgs } from 'node:util';
import { ingestRules } from './ingestRules.ts';
import { report } from './report.ts';
import { judge } from './rule.ts';
import { openService } from './service.ts';
import { vectorRules } from './vectorRules.ts';

const helpText = `Checks a running service against openapi.yaml: the vectors of test/vectors, and the rules for uploads that a client can
check: signature, clock, replay, repetition, limits, error bodies. Prints a table. Ends with 0 when every rule is kept.

  npm run conformance -- --base-url <url> --key <public key> --secret <secret key> [--verbose]

Use an application made for this check: a few made-up sessions stay in it. The check sends about three hundred requests.
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
