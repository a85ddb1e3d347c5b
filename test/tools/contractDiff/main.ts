// `npm run contract:diff` compares both contracts with the last released ones; `npm run contract:release` releases.
import { readCommandLine, reportFailure } from '../../../src/platform/commandLine.ts';
import { projectRoot } from '../../../src/platform/projectRoot.ts';
import { compareWithReleased, writeReleased } from './contracts.ts';
import { describeChanges, unannounced, unreleasable } from './verdict.ts';
import { usageOf } from '../usage.ts';

const usage = usageOf('test/tools/contractDiff');

async function compare(release: boolean): Promise<void> {
  const comparisons = await compareWithReleased(projectRoot);
  const problems = comparisons.map(release ? unreleasable : unannounced).filter((problem) => problem !== null);
  console.log(comparisons.flatMap(describeChanges).join('\n'));
  if (problems.length > 0) {
    console.error(`\n${problems.join('\n')}`);
    process.exitCode = 1;
  } else if (release) await writeReleased(projectRoot);
}

try {
  const values = readCommandLine(usage, { release: { type: 'boolean' } });
  if (values !== null) await compare(values.release ?? false);
} catch (error) {
  reportFailure(error);
}
