// Operators read the variables in .env.example: it must list exactly those that config.ts reads, with their defaults.
import { readFileSync } from 'node:fs';
import { readConfig, variableNames } from '../../src/config.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';

const blocks = readFileSync(projectFile('.env.example'), 'utf8').trim().split(/\n\n+/).slice(1);
const assignments = blocks.map((block) => /^([A-Z_]+)=(.*)$/.exec(block.split('\n').at(-1)!));

test('each block is a comment and then one variable', () => {
  for (const [index, block] of blocks.entries()) {
    const comment = block.split('\n').slice(0, -1);
    expect(comment.length).toBeGreaterThan(0);
    for (const line of comment) expect(line).toMatch(/^# \S/);
    expect([block, assignments[index]]).toEqual([block, expect.anything()]);
  }
});

test('the variables are exactly those of config.ts, in their order', () => {
  expect(assignments.map((assignment) => assignment![1])).toEqual(variableNames);
});

test('the file as it stands is accepted, and its values are the defaults', () => {
  const values = assignments.map((assignment) => [assignment![1]!, assignment![2]!] as const);
  const env: Record<string, string> = Object.fromEntries(values);
  expect(readConfig(env)).toEqual(readConfig({}));
});
