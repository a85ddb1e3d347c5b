// The facts that the overview page repeats of the two contracts, read from them, so that the page cannot contradict them.
import { buildSchema, isEnumType } from 'graphql';

export interface Table {
  /** Markdown. */
  heads: string[];
  rows: string[][];
}

/** The first table below a heading of Markdown. Throws when there is none. */
export function tableBelow(markdown: string, heading: string): Table {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => line.trim() === heading);
  const first = start < 0 ? -1 : lines.findIndex((line, index) => index > start && line.startsWith('|'));
  if (first < 0) throw new Error(`the contract has no table below "${heading}"`);
  const end = lines.findIndex((line, index) => index > first && !line.startsWith('|'));
  const [heads = [], , ...rows] = lines.slice(first, end < 0 ? undefined : end).map(cellsOf);
  return { heads, rows };
}

function cellsOf(row: string): string[] {
  return row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

export interface ErrorCodeFact {
  code: string;
  /** The first paragraph of its description, as Markdown. */
  meaning: string;
}

/** The codes of the admin API, in the order of the contract. */
export function listErrorCodes(sdl: string): ErrorCodeFact[] {
  const codes = buildSchema(sdl).getType('ErrorCode');
  if (!isEnumType(codes)) throw new Error('the contract has no enum ErrorCode');
  return codes.getValues().map(({ name, description }) => {
    const [paragraph = ''] = (description ?? '').split(/\n\s*\n/);
    return { code: name, meaning: paragraph.replaceAll(/\s+/g, ' ').trim() };
  });
}
