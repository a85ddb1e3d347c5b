// `npm run conformance`: checks any running service against the vectors and the rules of openapi.yaml for uploads.
import { readCommandLine, reportFailure, wrongCommandLine } from '../../../src/platform/commandLine.ts';
import { ingestRules } from './ingestRules.ts';
import { report } from './report.ts';
import { judge } from './rule.ts';
import { openService } from './service.ts';
import { vectorRules } from './vectorRules.ts';
import { usageOf } from '../usage.ts';

const usage = usageOf('test/tools/conformance');

async function run(args: string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const values = readCommandLine(usage, { 'base-url': text, key: text, secret: text, verbose: flag }, args);
  if (values === null) return 0;
  const { 'base-url': baseUrl, key, secret } = values;
  if (!baseUrl || !key || !secret) throw wrongCommandLine('--base-url, --key and --secret are needed', usage);
  const verdicts = await judge([...ingestRules, ...vectorRules()], await openService({ baseUrl, key, secret }));
  process.stdout.write(`${report(verdicts, values.verbose ?? false)}\n`);
  return verdicts.every(({ problem }) => problem === null) ? 0 : 1;
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  reportFailure(error);
  process.exitCode = 2;
}
