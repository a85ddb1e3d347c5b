// Whatever a comment, a contract or a page cites can be opened: the file, its heading, the anchor of a link.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { projectFile, projectRoot } from '../../src/platform/projectRoot.ts';
import {
  anchorOf,
  citationsOf,
  citingFiles,
  headingsOf,
  operationsOfHeadings,
  type Citation,
} from '../support/citations.ts';

const own = 'test/contract/citations.test.ts';
const texts = citingFiles()
  .filter((name) => name !== own)
  .map((name) => ({ name, text: readFileSync(projectFile(name), 'utf8') }));
const citations = texts.flatMap(({ name, text }) => citationsOf(name, text));
const headings = new Map<string, string[]>();
const operations = operationsOfHeadings();

function knownHeadings(file: string): string[] {
  if (!headings.has(file)) headings.set(file, headingsOf(file));
  return headings.get(file)!;
}

/** Why a reader could not follow it, or null. */
function broken({ at, file, heading, operation, anchor }: Citation): string | null {
  if (!existsSync(projectFile(file))) return `${at} cites ${file}, which is not in the repository`;
  if (heading !== null && !knownHeadings(file).includes(heading))
    return `${at} cites ${file}, "${heading}": no such heading`;
  if (operation !== null && operations.get(heading!) !== operation)
    return `${at} cites "${heading}" of ${operation}: it stands elsewhere`;
  if (anchor !== null && !knownHeadings(file).map(anchorOf).includes(anchor)) return `${at} links to ${file}#${anchor}`;
  return null;
}

test('every citation and every link of a page resolves', () => {
  expect(citations.length).toBeGreaterThan(100);
  expect(citations.map(broken).filter((problem) => problem !== null)).toEqual([]);
});

/** The `.ts` files that comments and pages name, with or without their folders. Imports and texts of tests are no citations. */
function citedSources({ name, text }: { name: string; text: string }): { at: string; cited: string }[] {
  const isPage = name.endsWith('.md');
  return text.split('\n').flatMap((line, index) => {
    const words = isPage
      ? line.replace(/\]\([^)]*\)/g, ']')
      : (/^\s*(?:\*|\/\*\*|\/\/|#)(.*)|\s\/\/ (.*)/.exec(line)?.slice(1).join(' ') ?? '');
    const cited = [...words.matchAll(/(?<![\w.*<>…-])(?:[\w.-]+\/)*[\w.]+\.tsx?\b/g)].map(([file]) => file);
    return cited.map((file) => ({ at: `${name}:${index + 1}`, cited: file }));
  });
}

const sources = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: projectRoot, encoding: 'utf8' })
  .split('\n')
  .filter((name) => /\.tsx?$/.test(name) && existsSync(projectFile(name)));
const isSource = (cited: string): boolean => sources.some((name) => name === cited || name.endsWith(`/${cited}`));

/** Files that a reader makes: in a client's project, and in the examples of docs/contributing/operation.md. */
const ofReaders = /^test\/consumers\/README\.md:|: .*\b(getServerTime|lastChangeAt)\b/;

test('every source that a comment or a page names is there', () => {
  const cited = texts.filter(({ name }) => name !== 'CHANGELOG.md').flatMap(citedSources);
  expect(cited.length).toBeGreaterThan(200);
  const gone = cited.filter((each) => !isSource(each.cited)).map(({ at, cited: file }) => `${at}: ${file}`);
  expect(gone.filter((each) => !ofReaders.test(each))).toEqual([]);
});

/** Written for people who have openapi.yaml alone, where a heading in the description of an operation is hard to find. */
const forSdkTeams = /^docs\/sdk\/|^test\/vectors\/|^test\/tools\/(demo\/sdk|judge|conformance)\//;

function withoutPlace(all: Citation[]): string[] {
  return all
    .filter(({ at, file }) => forSdkTeams.test(at) && file === 'openapi.yaml')
    .filter(({ heading, operation }) => heading !== null && operations.has(heading) && operation === null)
    .map(({ at, heading }) => `${at} cites "${heading}" without its operation ${operations.get(heading!)}`);
}

test('what SDK teams read names the operation in whose description a cited heading stands', () => {
  expect(withoutPlace(citations)).toEqual([]);
  expect(operations.get('Fetching')).toBe('getCampaigns');
  expect(operations.has('Backoff')).toBe(false);
});

/** The texts of openapi.yaml: the introduction, and the description of each operation. */
function descriptions(): { operation: string | null; text: string }[] {
  const [introduction, ...paths] = readFileSync(projectFile('openapi.yaml'), 'utf8').split(/^ {6}operationId: /m);
  const ofOperation = (text: string) => ({ operation: /^\w+/.exec(text)![0], text });
  return [{ operation: null, text: introduction! }, ...paths.map(ofOperation)];
}

test('a description of openapi.yaml names the operation of a heading that stands in another one', () => {
  const found = descriptions().flatMap(({ operation, text }) =>
    [...operations]
      .filter(([, place]) => place !== operation)
      .flatMap(([heading, place]) =>
        [...text.matchAll(new RegExp(String.raw`(.{0,60})"${heading.replace(/\s/g, '\\s+')}"`, 'gs'))]
          .filter(([, before]) => !before!.includes(place))
          .map(([all]) => `${all.replace(/\s+/g, ' ')} stands in ${place}`),
      ),
  );
  expect(found).toEqual([]);
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
  const cite = (text: string, name = 'src/http/responses.ts') => citationsOf(name, text).map(broken);

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

  test('a heading without its operation, and one with another operation', () => {
    const cited = (text: string) => citationsOf('docs/sdk/rules.md', text);
    expect(withoutPlace(cited('by openapi.yaml, "Fetching".'))).toHaveLength(1);
    expect(withoutPlace(cited('by openapi.yaml, getCampaigns, "Fetching".'))).toEqual([]);
    expect(cite('by openapi.yaml, reportSessions,\n// "Fetching".')).toEqual([expect.stringContaining('elsewhere')]);
  });

  test('a source that is gone, in a comment and in a page', () => {
    const cited = [
      { name: 'src/a.ts', text: "import { a } from './gone.ts';\n// as in gone.ts, and in citations.ts" },
      { name: 'docs/a.md', text: '`src/http/gone.ts` and [its room](../src/http/publicApi.ts)' },
    ].flatMap(citedSources);
    expect(cited.map(({ at, cited: file }) => [at, file, isSource(file)])).toEqual([
      ['src/a.ts:2', 'gone.ts', false],
      ['src/a.ts:2', 'citations.ts', true],
      ['docs/a.md:1', 'src/http/gone.ts', false],
    ]);
  });

  test('a heading that is there', () => {
    expect(cite('by openapi.yaml, "Limits".')).toEqual([null]);
  });
});
