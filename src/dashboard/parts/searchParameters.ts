// How the address writes search parameters, and how a screen's schema reads them: a text stays the text that it is.
import { z } from 'zod';

/**
 * What an address says, each parameter as its text: the schema of the screen alone knows what is a number. The default
 * of the router makes 7.234e17 of a device `723421968459640832` and null of a user `null`. Where a name stands twice,
 * the last one counts.
 */
export function parseSearch(search: string): Record<string, string> {
  const given = Object.fromEntries(new URLSearchParams(search));
  for (const [name, written] of Object.entries(given)) given[name] = quotedText(written) ?? written;
  return given;
}

/**
 * A text is written as it is, anything else as JSON. Only a text that is itself a JSON string is written as one, so that
 * it comes back: older addresses have `user="7"` for the user 7, and they still open.
 */
export function stringifySearch(search: Record<string, unknown>): string {
  const written = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) if (value !== undefined) written.set(name, writtenValue(value));
  const all = written.toString();
  return all === '' ? '' : `?${all}`;
}

const writtenValue = (value: unknown): string =>
  typeof value === 'string' && quotedText(value) === undefined ? value : JSON.stringify(value);

/** The text of a JSON string; undefined for anything else. */
function quotedText(written: string): string | undefined {
  const value = written.startsWith('"') ? jsonOf(written) : undefined;
  return typeof value === 'string' ? value : undefined;
}

function jsonOf(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    // No JSON: the schema says that it cannot be used.
    return undefined;
  }
}

/** The schema takes a value from a link as it is, and the text of an address once it is read. The types are the schema's. */
function read<Schema extends z.ZodType>(schema: Schema, value: (written: string) => unknown) {
  const both = z.preprocess((given) => (typeof given === 'string' ? value(given) : given), schema);
  return (both as unknown as z.ZodType<z.output<Schema>, z.input<Schema>>).optional().catch(undefined);
}

/** A text of a stranger, to the last sign. An empty one counts as not given. */
export const text = z.string().min(1).optional().catch(undefined);

export const flag = read(z.boolean(), (written) => ({ true: true, false: false })[written]);

export const wholeNumber = (least: number, most: number) =>
  read(z.int().min(least).max(most), (written) => (/^\d+$/.test(written) ? Number(written) : undefined));

/** A list or an object, which the address has as JSON. */
export const json = <Schema extends z.ZodType>(schema: Schema) => read(schema, jsonOf);

export const isUuid = (text: string): boolean => z.guid().safeParse(text).success;
