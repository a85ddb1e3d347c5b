// `npm run stub <operationId or root field> [room]`: writes the handler, test and list entries of a new operation.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { goesOn } from '../../../src/platform/commandLine.ts';
import { projectRoot } from '../../../src/platform/projectRoot.ts';
import { adminStub } from './adminStub.ts';
import { assertNew } from './placement.ts';
import { publicStub } from './publicStub.ts';
import { StubError, withLine, type Skeleton } from './skeleton.ts';
import { usageOf } from '../usage.ts';

const usage = usageOf('test/tools/stub');

async function makeSkeleton(name: string | undefined, room: string | undefined): Promise<Skeleton> {
  if (name === undefined) throw new StubError(usage.split('\n')[0]);
  const wanted = { root: projectRoot, name, room };
  const skeleton = (await publicStub(wanted)) ?? adminStub(wanted);
  if (!skeleton) throw new StubError(`neither contract has an operation ${name}: write it there first`);
  assertNew(projectRoot, name);
  return skeleton;
}

async function write(name: string, text: string): Promise<void> {
  const file = path.join(projectRoot, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
}

async function stub(words: string[]): Promise<void> {
  const { files, lines, left } = await makeSkeleton(words[0], words[1]);
  for (const { name, text } of files) await write(name, text);
  for (const line of lines) {
    const text = readFileSync(path.join(projectRoot, line.file), 'utf8');
    await write(line.file, withLine(text, line));
  }
  const touched = [...files.map(({ name }) => name), ...new Set(lines.map(({ file }) => file))];
  console.log([...touched.map((name) => `written: ${name}`), ...left.map((rest) => `left: ${rest}`)].join('\n'));
}

const words = process.argv.slice(2);
try {
  if (
    goesOn(
      usage,
      words.filter((word) => word.startsWith('-')),
    )
  )
    await stub(words);
} catch (error) {
  if (!(error instanceof StubError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
