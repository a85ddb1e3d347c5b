// The parts of a stub: new files, and lines for the lists that name every operation.

export interface NewFile {
  /** The path from the project's root. */
  name: string;
  text: string;
}

export interface ListLine {
  file: string;
  /** The line after which the list begins. */
  after: RegExp;
  line: string;
}

export interface Skeleton {
  files: NewFile[];
  lines: ListLine[];
  /** The work that only a person can do, and the file in which the compiler or a test asks for it. */
  left: string[];
}

export class StubError extends Error {}

/** Inserts the line before the first line of the list that follows it in the alphabet, or at the end. */
export function withLine(text: string, { file, after, line }: ListLine): string {
  const match = after.exec(text);
  if (!match) throw new StubError(`${file} has no list after ${String(after)}`);
  const start = match.index + match[0].length;
  const rows = text.slice(start).split('\n');
  const end = rows.findIndex((row) => !/^\s*(\w|\/\/)/.test(row) || /^\s*(const|export|type)\b/.test(row));
  const list = rows.slice(0, end);
  const place = list.findIndex((row) => !row.trim().startsWith('//') && row.trim() > line.trim());
  const before = place === -1 ? list.length : place;
  return text.slice(0, start) + [...rows.slice(0, before), line, ...rows.slice(before)].join('\n');
}

export function firstSentence(text: string): string {
  const sentence = /^[\s\S]*?[.?!](?=\s|$)/.exec(text.trim())?.[0] ?? text.trim();
  return sentence.replaceAll(/\s+/g, ' ');
}
