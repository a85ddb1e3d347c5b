// Whatever a comment, a contract or a page cites can be opened: the file, its heading, the anchor of a link.
import { existsSync, readFileSync } from 'node:fs';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { anchorOf, citationsOf, citingFiles, headingsOf, type Citation } from '../support/citations.ts';

const own = 'test/contract/citations.test.ts';
const texts = citingFiles()
  .filter((name) => name !== own)
  .map((name) => ({ name, text: readFileSync(projectFile(name), 'utf8') }));
const citations = texts.flatMap(({ name, text }) => citationsOf(name, text));
const headings = new Map<string, string[]>();

function knownHeadings(file: string): string[] {
  if (!headings.has(file)) headings.set(file, headingsOf(file));
  return headings.get(file)!;
}

/** Why a reader could not follow it, or null. */
function broken({ at, file, heading, anchor }: Citation): string | null {
  if (!existsSync(projectFile(file))) return `${at} cites ${file}, which is not in the repository`;
  if (heading !== null && !knownHeadings(file).includes(heading))
    return `${at} cites ${file}, "${heading}": no such heading`;
  if (anchor !== null && !knownHeadings(file).map(anchorOf).includes(anchor)) return `${at} links to ${file}#${anchor}`;
  return null;
}

test('every citation and every link of a page resolves', () => {
  expect(citations.length).toBeGreaterThan(100);
  expect(citations.map(broken).filter((problem) => problem !== null)).toEqual([]);
});

/** Pages that the project was built from and that no reader of the repository has. */
const elsewhere = [
  /\bcontract'?s? \d(\.\d)?\b/i,
  /\((the )?spec[,)]/i,
  /\bspec, "/i,
  /\bspec\.md\b/,
  /\bhouse\.md\b/,
  /\bcontract\.md\b/,
];

test('no text cites a page that is not in the repository', () => {
  const found = texts
    .flatMap(({ name, text }) => text.split('\n').map((line, index) => ({ at: `${name}:${index + 1}`, line })))
    .filter(({ line }) => elsewhere.some((form) => form.test(line)));
  expect(found.map(({ at, line }) => `${at}: ${line.trim()}`)).toEqual([]);
});

describe('the test can fail', () => {
  const cite = (text: string, name = 'src/http/answers.ts') => citationsOf(name, text).map(broken);

  test.each([
    ['(docs/nowhere.md)', 'cites docs/nowhere.md, which is not in the repository'],
    ['by openapi.yaml, "No such heading".', 'no such heading'],
    ['by `openapi.yaml`,\n// "No such heading"', 'no such heading'],
  ])('%j', (text, problem) => {
    expect(cite(text)).toEqual([expect.stringContaining(problem)]);
  });

  test('a link to an anchor that is not there, and one to a heading that is', () => {
    expect(cite('[a](README.md#nowhere)', 'CHANGELOG.md')).toContainEqual(expect.stringContaining('README.md#nowhere'));
    const [, first] = headingsOf('README.md');
    expect(cite(`[a](README.md#${anchorOf(first!)})`, 'CHANGELOG.md').filter(Boolean)).toEqual([]);
  });

  test('a heading that is there', () => {
    expect(cite('by openapi.yaml, "Limits".')).toEqual([null]);
  });
});
