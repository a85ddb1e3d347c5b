// The name of a statement for a trace, from its text alone.
import type { Statement } from './sqlClient.ts';

export interface StatementNames {
  /** As in the comment at the beginning of the text: `sessions: findDevices`. */
  summary: string;
  /** Only of a statement that no comment names, as Prisma and the job queue send them. */
  text: string | undefined;
  /** Above one in a pipeline. */
  count: number;
}

type Asked = Partial<Pick<Statement, 'name' | 'text'>>;

const longest = 500;

/** `statement` in any form that the driver takes. Null for a form that says nothing of itself. */
export function namesOf(statement: unknown): StatementNames | null {
  if (typeof statement === 'string') return namesOfOne({ text: statement });
  if (typeof statement !== 'object' || statement === null) return null;
  if ('parts' in statement) return namesOfPipeline(statement.parts as readonly Asked[]);
  return namesOfOne(statement);
}

function namesOfPipeline(parts: readonly Asked[]): StatementNames {
  const summaries = parts.map((part) => namesOfOne(part)?.summary ?? '?');
  return { summary: summaries.join('; '), text: undefined, count: parts.length };
}

function namesOfOne({ name, text = '' }: Asked): StatementNames | null {
  const commented = /^\s*\/\* ([^*]+?) \*\//.exec(text)?.[1];
  if (commented !== undefined) return { summary: commented, text: undefined, count: 1 };
  const verb = /^\s*([a-z]+)/i.exec(text)?.[1];
  if (verb === undefined) return name === undefined ? null : { summary: name, text: undefined, count: 1 };
  const table = /\b(?:from|into|update)\s+"?(?:\w+"?\."?)?(\w+)/i.exec(text)?.[1];
  const summary = [verb.toUpperCase(), ...(table === undefined ? [] : [table])].join(' ');
  return { summary, text: withoutLiterals(text), count: 1 };
}

/** A parameter is sent beside the text. A literal in the text is our own or a library's, and is left out all the same. */
function withoutLiterals(text: string): string {
  return text.replace(/'(?:[^']|'')*'/g, "'?'").slice(0, longest);
}
