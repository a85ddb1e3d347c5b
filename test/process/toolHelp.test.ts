// `npm run mock -- --help` and its siblings print at once: in a folder without any code, and without writing there.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { runBuilt } from '../support/serviceProcess.ts';
import { faultNames } from '../tools/mock/faults.ts';
import { usageOf } from '../tools/usage.ts';

const folders: Record<string, string> = {
  mock: 'test/tools/mock',
  conformance: 'test/tools/conformance',
  demo: 'test/tools/demo',
  stub: 'test/tools/stub',
  samples: 'test/tools/samples',
  'contract:diff': 'test/tools/contractDiff',
};

const bare = mkdtempSync(path.join(tmpdir(), 'tool-help-'));
afterAll(() => rmSync(bare, { recursive: true }));
beforeAll(() => {
  const texts = Object.values(folders).map((folder) => `${folder}/usage.txt`);
  for (const name of ['package.json', 'test/support/usage.js', ...texts])
    cpSync(projectFile(name), path.join(bare, name), { recursive: true });
});

test.each(Object.entries(folders))('npm run %s -- --help', (script, folder) => {
  const files = () => readdirSync(bare, { recursive: true }).sort();
  const before = files();
  const printed = execFileSync('npm', ['run', '-s', script, '--', '--help'], { cwd: bare, encoding: 'utf8' });
  expect(printed.startsWith(`Usage: npm run ${script}`)).toBe(true);
  expect(printed).toContain(usageOf(folder));
  expect(files()).toEqual(before);
});

test('the built program prints the same', async () => {
  const program = runBuilt('test/tools/mock/main.js', {}, ['--help']);
  expect(await program.ended).toMatchObject({ code: 0 });
  const printed = execFileSync('node', [
    projectFile('test/support/usage.js'),
    projectFile('test/tools/mock'),
    '--help',
  ]);
  expect(program.stdout()).toBe(printed.toString());
});

test('the help of the mock lists its faults', () => {
  expect(readFileSync(projectFile('test/tools/mock/usage.txt'), 'utf8')).toContain(`Faults: ${faultNames.join(', ')}.`);
});
