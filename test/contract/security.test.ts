// Compares SECURITY.md and docs/security with the repository: every file and test that they name exists, and no requirement of level 2 is missing.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectFile } from '../../src/platform/projectRoot.ts';

const pages = ['SECURITY.md', 'docs/security/owasp-api-top-10.md', 'docs/security/asvs.md'].map((page) => ({
  folder: path.posix.dirname(page),
  text: readFileSync(projectFile(page), 'utf8'),
}));
const [, topTen, asvs] = pages.map(({ text }) => text) as [string, string, string];
const [beforeScope, outOfScope] = asvs.split('## Out of scope') as [string, string];
const cellsOf = (line: string) => line.split('|').map((cell) => cell.trim());
const rowsWith = (text: string, first: RegExp) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| ') && first.test(cellsOf(line)[1]!))
    .map(cellsOf);

const id = /^V(\d+)\.(\d+)\.(\d+)$/;
const requirements = rowsWith(beforeScope, id).map(([, requirement, level, how, shown]) => ({
  id: requirement!,
  level: level!,
  how: how!,
  shown: shown!,
}));
const excluded = rowsWith(outOfScope, /^V\d/).flatMap(([, ids]) => ids!.split(', '));

test('every file that is named exists', () => {
  const named = pages.flatMap(({ folder, text }) =>
    [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, file]) => path.posix.join(folder, file!)),
  );
  expect(named.length).toBeGreaterThan(200);
  expect([...new Set(named)].filter((file) => !existsSync(projectFile(file)))).toEqual([]);
});

test('a test that is named by its title has that title', () => {
  const titled = [...topTen.matchAll(/\]\(\.\.\/\.\.\/(test\/[^)]+)\) "([^"]+)"/g)];
  expect(titled.length).toBeGreaterThan(12);
  for (const [, file, title] of titled) {
    const text = readFileSync(projectFile(file!), 'utf8');
    expect([file, title, ["'", '"', '`'].some((quote) => text.includes(quote + title! + quote))]).toEqual([
      file,
      title,
      true,
    ]);
  }
});

test('each item of the OWASP API Security Top 10 has its line and its test', () => {
  const items = rowsWith(topTen, /^API\d+ /);
  expect(items.map(([, item]) => /^API(\d+)/.exec(item!)![1])).toEqual(
    Array.from({ length: 10 }, (_, i) => String(i + 1)),
  );
  for (const [, item, how, shown] of items)
    expect([item, how !== '', /\]\(\.\.\/\.\.\/test\//.test(shown!)]).toEqual([item, true, true]);
});

test('each requirement of ASVS 5.0.0, level 2, stands in one of the two tables, once and in order', () => {
  const ids = [...requirements.map((each) => each.id), ...excluded];
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((each) => id.test(each))).toBe(true);
  // Levels 1 and 2 of the standard together.
  expect(ids).toHaveLength(253);
  const place = (text: string) =>
    id
      .exec(text)!
      .slice(1)
      .reduce((sum, part) => sum * 100 + Number(part), 0);
  const places = requirements.map((each) => place(each.id));
  expect(places).toEqual([...places].sort((a, b) => a - b));
});

test('each line says how and by what it is shown; what is not met is known', () => {
  for (const { id: name, level, how, shown } of requirements) {
    expect([name, /^[12]$/.test(level), how !== '', /\]\([^)]+\)/.test(shown)]).toEqual([name, true, true, true]);
  }
  const notMet = requirements.filter(({ how }) => how.startsWith('Not met')).map((each) => each.id);
  expect(notMet).toEqual(['V6.1.2', 'V6.2.11', 'V6.3.3']);
});
