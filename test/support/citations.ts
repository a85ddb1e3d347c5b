// Finds the citations in the files of this repository: pages, headings of pages and links.
// test/contract/citations.test.ts resolves each.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectFile, projectRoot } from '../../src/platform/projectRoot.ts';

export interface Citation {
  /** The file and line of the citation: `src/http/responses.ts:12`. */
  at: string;
  /** The cited file, from the project's root. */
  file: string;
  /** A heading by its text, or null for the whole file. */
  heading: string | null;
  /** The operation of openapi.yaml in whose description the heading stands; null where the citation names none. */
  operation: string | null;
  /** The anchor of a Markdown link, or null. */
  anchor: string | null;
}

const pages = String.raw`(?:(?:docs|test|prisma|src|deploy)/[\w./-]+\.md|[A-Z]+\.md|openapi\.yaml|schema\.graphql)`;
const gap = String.raw`\s+(?:(?://|#|\*)\s+)?`;
const citation = new RegExp(String.raw`(?<![\w./-])(${pages})(?:\x60?,${gap}(?:(\w+),${gap})?"([^"]+)")?`, 'g');
const link = /\]\(([^()\s]+)\)/g;

/** Files that this project writes itself: released contracts and generated code are copies. */
export function citingFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: projectRoot,
    encoding: 'utf8',
  });
  return listed
    .split('\n')
    .filter((name) => /\.(ts|js|md|yaml|graphql|prisma|sql)$|\.env\.example$|Dockerfile$/.test(name))
    .filter((name) => !/^generated\/|^test\/contract\/released\/|^test\/consumers\/projects\//.test(name))
    .filter((name) => existsSync(projectFile(name)));
}

export function citationsOf(name: string, text: string): Citation[] {
  const at = (index: number) => `${name}:${text.slice(0, index).split('\n').length}`;
  // A changelog names pages that are gone; its links must resolve like others.
  const named = name === 'CHANGELOG.md' ? [] : [...text.matchAll(citation)];
  const cited = named.map((match) => ({
    at: at(match.index),
    file: fileOf(match[1]!, name),
    operation: match[2] ?? null,
    heading: match[3]?.replace(/\s+(?:(?:\/\/|#|\*)\s+)?/g, ' ') ?? null,
    anchor: null,
  }));
  const links = name.endsWith('.md') ? linksOf(name, text) : [];
  return [...cited, ...links.map(({ index, ...one }) => ({ ...one, at: at(index) }))];
}

/** A citation names a page from the project's root, or by its bare name from within its folder. */
function fileOf(cited: string, name: string): string {
  const beside = path.posix.join(path.posix.dirname(name), cited);
  return !cited.includes('/') && existsSync(projectFile(beside)) ? beside : cited;
}

function linksOf(name: string, text: string) {
  const local = [...text.matchAll(link)].filter(([, target]) => !/^(https?|mailto):/.test(target!));
  return local.map((match) => {
    const [file = '', anchor = null] = match[1]!.split('#');
    const cited = file === '' ? name : path.posix.join(path.posix.dirname(name), file);
    return { index: match.index, file: cited, operation: null, heading: null, anchor };
  });
}

/** The texts of the headings of a page; the headings of the contracts are in descriptions. */
export function headingsOf(file: string): string[] {
  const text = readFileSync(projectFile(file), 'utf8').replace(/^( *)```[\s\S]*?^\1```$/gm, '');
  return [...text.matchAll(/^ *#{1,6} (.+?)\s*$/gm)].map((match) => match[1]!);
}

/** Each heading in the description of an operation of openapi.yaml, with that operation. The others stand in its introduction. */
export function operationsOfHeadings(): Map<string, string> {
  const found = new Map<string, string>();
  let operation: string | null = null;
  for (const line of readFileSync(projectFile('openapi.yaml'), 'utf8').split('\n')) {
    operation = /^ {6}operationId: (\w+)/.exec(line)?.[1] ?? operation;
    const [, heading] = /^ {8,}#{1,6} (.+?)\s*$/.exec(line) ?? [];
    if (heading !== undefined && operation !== null) found.set(heading, operation);
  }
  return found;
}

/** As GitHub makes anchors: lower case, without punctuation, spaces as hyphens. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
