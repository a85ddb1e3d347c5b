// A list of values as one text: how it is typed, read and written.

export interface TypedValue {
  text: string;
  /** In quotes: a text to the last sign, also where it looks like a number. */
  quoted: boolean;
}

/**
 * A value ends at a comma before a blank, at a comma at the end, and at the end of a line: `iPhone15,2, iPhone15,3` are
 * two values, and `a,b` is one. In quotes, as in CSV, every sign counts, and `""` is one quote; a comma behind the closing
 * quote ends the value. Without quotes `\,` is a comma that ends nothing, and blanks around a value do not count.
 */
export function splitValues(typed: string): TypedValue[] {
  const values: TypedValue[] = [];
  let rest = typed.replace(/\r\n?/g, '\n').trimStart();
  while (rest !== '') {
    const quoted = /^"((?:[^"]|"")*)"[^\S\n]*(?:,|\n|$)/.exec(rest);
    const found = quoted ?? /^((?:\\,|,(?!\s|$)|[^,\n])*)(?:,|\n|$)/.exec(rest)!;
    const text = quoted ? found[1]!.replaceAll('""', '"') : found[1]!.replaceAll('\\,', ',').trim();
    if (quoted || text !== '') values.push({ text, quoted: quoted !== null });
    rest = rest.slice(found[0].length).trimStart();
  }
  return values;
}

/** With quotes around it where a list would read it otherwise, and where a comma in it could be taken for an end. */
export const writtenInList = (text: string): string =>
  text === '' || text.trim() !== text || /[,"\\\n\r]/.test(text) ? quotedValue(text) : text;

export const writtenList = (texts: readonly string[]): string => texts.map(writtenInList).join(', ');

export const quotedValue = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** As if a blank stood behind every comma outside quotes: for a list that was typed without blanks. */
export const splitAtCommas = (typed: string): string =>
  typed.replace(/"(?:[^"]|"")*"|\\,|,(?=\S)/g, (found) => (found === ',' ? ', ' : found));
