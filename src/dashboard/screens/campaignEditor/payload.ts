// The payload of an action while it is typed: its value, its length as the service counts it, and what is wrong.

/** schema.graphql, "Campaigns": bytes in UTF-8 as JSON without white space and with its numbers written out. */
export const largestPayload = 65_536;
const deepest = 32;

export interface Payload {
  /** Null for no payload, and where `problem` is set. */
  value: unknown;
  bytes: number;
  problem: string | null;
}

export function payloadOf(text: string): Payload {
  if (text.trim() === '') return { value: null, bytes: 0, problem: null };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { value: null, bytes: 0, problem: syntaxProblem(error as Error, text) };
  }
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length + moreDigits(value);
  const problem = valueProblem(value, bytes);
  return { value: problem === null ? value : null, bytes, problem };
}

/** Browsers name the place in different ways: as line and column, or as the number of characters before it. */
function syntaxProblem({ message }: Error, text: string): string {
  const named = /line (\d+) column (\d+)/.exec(message);
  const position = /position (\d+)/.exec(message)?.[1];
  if (named) return `This is no JSON: look at line ${named[1]}, column ${named[2]}.`;
  if (position === undefined) return 'This is no JSON: its end is missing.';
  const lines = text.slice(0, Number(position)).split('\n');
  return `This is no JSON: look at line ${lines.length}, column ${lines.at(-1)!.length + 1}.`;
}

function valueProblem(value: unknown, bytes: number): string | null {
  if (depthOf(value) > deepest) return `The payload nests at most ${deepest} levels.`;
  const problem = partProblem(value);
  if (problem !== null) return problem;
  return bytes > largestPayload ? `The payload has at most ${largestPayload.toLocaleString('en')} bytes.` : null;
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function partProblem(value: unknown): string | null {
  if (typeof value === 'number') return numberProblem(value);
  if (typeof value === 'string') return textProblem(value);
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, part] of Object.entries(value)) {
    const problem = textProblem(key) ?? partProblem(part);
    if (problem !== null) return problem;
  }
  return null;
}

function numberProblem(value: number): string | null {
  if (!Number.isFinite(value)) return 'A number is larger than JSON readers can hold.';
  const exact = !Number.isInteger(value) || Number.isSafeInteger(value);
  return exact ? null : 'A whole number beyond 9007199254740991 would be rounded: write it as a text.';
}

function textProblem(text: string): string | null {
  return text.includes('\0') || !text.isWellFormed() ? 'A text has a character that cannot be stored.' : null;
}

/** How many more characters the numbers have when they are written out: 1e-7 is 0.0000001. */
function moreDigits(value: unknown): number {
  if (typeof value === 'object' && value !== null)
    return Object.values(value).reduce((sum: number, part) => sum + moreDigits(part), 0);
  const parts = typeof value === 'number' ? /^-?(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(String(value)) : null;
  if (!parts) return 0;
  const digits = 1 + (parts[2]?.length ?? 0);
  const exponent = Number(parts[3]);
  const written = exponent < 0 ? 1 - exponent + digits : Math.max(digits, exponent + 1);
  return written - parts[0].replace('-', '').length;
}

/** With line breaks; text that is no JSON stays as it is. */
export function formatted(text: string): string {
  const { value, problem } = payloadOf(text);
  return problem !== null || text.trim() === '' ? text : JSON.stringify(value, null, 2);
}
