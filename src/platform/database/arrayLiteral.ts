// PostgreSQL's array literals, for statements that take many rows.
// The driver's own writer looks at every element with two patterns, which was a fifth of the time of storing an upload.

/** For values that need no quotes: numbers, booleans, dates, UUIDs. */
export function plainArray(values: readonly (string | number | boolean | null)[]): string {
  let text = '';
  for (const value of values) text += `,${value ?? 'NULL'}`;
  return `{${text.slice(1)}}`;
}

export function textArray(values: readonly (string | null)[]): string {
  let text = '';
  for (const value of values) text += value === null ? ',NULL' : `,"${escaped(value)}"`;
  return `{${text.slice(1)}}`;
}

export function byteArray(values: readonly Buffer[]): string {
  let text = '';
  for (const value of values) text += `,\\\\x${value.toString('hex')}`;
  return `{${text.slice(1)}}`;
}

function escaped(value: string): string {
  return /["\\]/.test(value) ? value.replaceAll(/["\\]/g, '\\$&') : value;
}
