// Values as they are typed and shown: lists, versions, and texts of blanks.

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

// Versions as people write them, and the whole numbers that devices compare: openapi.yaml, "Version integers".

/** `2.14.3` is 2014003, `17.5` is 17005000. Null for what is no version. test/vectors/versions.json has the cases. */
export function versionNumber(text: string): number | null {
  const parts = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:\.\d+)*(?:[-+ ].*)?$/su.exec(text);
  if (!parts) return null;
  const [major, minor, patch] = parts.slice(1, 4).map((part) => Number(part ?? 0)) as [number, number, number];
  const number = major * 1_000_000 + minor * 1_000 + patch;
  return minor < 1_000 && patch < 1_000 && Number.isSafeInteger(number) ? number : null;
}

/** `2.14.3` for 2014003. Below 1000 it is no version that an app has, so the number itself. */
export function versionText(number: number): string {
  if (!Number.isSafeInteger(number) || number < 1_000) return String(number);
  return [Math.floor(number / 1_000_000), Math.floor(number / 1_000) % 1_000, number % 1_000].join('.');
}

/** What is typed for a version: with dots a version, and digits alone the number that devices send. Null for neither. */
export function typedVersion(typed: string): number | null {
  const text = typed.trim();
  if (!/^\d+$/.test(text)) return versionNumber(text);
  return Number.isSafeInteger(Number(text)) ? Number(text) : null;
}

/** What becomes of a typed version, for the line below its field. */
export function versionHint(typed: string): string | undefined {
  const number = typedVersion(typed);
  if (number === null) return undefined;
  if (!/^\d+$/.test(typed.trim())) return `= ${number}`;
  return number < 1_000 ? `the number ${number}; the version is ${number}.0` : `= ${versionText(number)}`;
}

// A text that nobody can see, in words.

const unseen = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]+$/u;

/** `3 blanks`, or the signs where they are others than blanks. Undefined for a text that can be seen, and for none. */
export function blankWords(text: string): string | undefined {
  if (!unseen.test(text)) return undefined;
  const signs = [...text];
  const number = signs.length === 1 ? '1 blank' : `${signs.length} blanks`;
  if (/^ +$/.test(text)) return number;
  const codes = signs
    .slice(0, 8)
    .map((sign) => `U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`);
  return `${number}: ${codes.join(' ')}${signs.length > codes.length ? ' …' : ''}`;
}
