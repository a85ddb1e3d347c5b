// Reads a JSON body and refuses what JSON.parse would silently change: duplicate keys, deep nesting, broken UTF-8.
import { visit } from 'jsonc-parser';
import type { FieldError } from '../errors.ts';
import { fieldPath, maxFields } from './fieldPath.ts';
import { offsetOfFault } from './jsonFault.ts';
import { scanJson, type LongInteger } from './scanJson.ts';

export interface JsonObject {
  value: object;
  text: string;
  longIntegers: LongInteger[];
  /** Each key that is repeated in one object; `value` holds the last. Slow when there is one. */
  repeatedKeys: () => FieldError[];
  fields?: undefined;
}

export interface JsonRefusal {
  fields: FieldError[];
  /** It has more values than it may. Nothing else of it is known. */
  tooManyValues?: boolean;
}

export type JsonReading = JsonObject | JsonRefusal;

const maxDepth = 32;
const noKeys = (): FieldError[] => [];
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The value of a body, or the fields that make it unreadable. A body that is no JSON object has one field with path "".
 * Before JSON.parse: from 5,000 levels on, a walk over the value, or writing it, overflows the stack. And JSON.parse takes
 * 2 s for 8 MiB of `[]`, which are 8 kB on the wire (docs/decisions/body-values.md).
 */
export function readJson(bytes: Buffer, { maxValues = Infinity }: { maxValues?: number } = {}): JsonReading {
  const { depth, values, members, longIntegers } = scanJson(bytes, { maxDepth, maxValues });
  if (depth > maxDepth) return refused(`is nested deeper than ${maxDepth} levels`);
  if (values > maxValues) return { fields: [], tooManyValues: true };
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
    value = JSON.parse(text);
  } catch {
    return refused(`is not valid JSON in UTF-8; reading stopped at byte offset ${offsetOfFault(bytes)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refused('must be a JSON object');
  // JSON.parse keeps the last of two equal keys: the text has more members than the value then.
  const repeatedKeys = countMembers(value) === members ? noKeys : () => findRepeatedKeys(text);
  return { value, text, longIntegers, repeatedKeys };
}

function refused(message: string): JsonRefusal {
  return { fields: [{ path: '', message }] };
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) members += countMembers(item);
    return members;
  }
  // An object of JSON.parse inherits nothing that this loop visits. Object.values takes twice as long.
  for (const name in value) members += 1 + countMembers((value as Record<string, unknown>)[name]);
  return members;
}

/** Thrown to end a walk. Made once, because its stack is never used. */
const enough = new Error('enough is found');

/** Only for a body that has one: the paths of the first hundred repeated keys. */
function findRepeatedKeys(text: string): FieldError[] {
  const seen: Set<string>[] = [];
  const paths = new Set<string>();
  let found = 0;
  try {
    visit(text, {
      onObjectBegin: () => void seen.push(new Set()),
      onObjectEnd: () => void seen.pop(),
      onObjectProperty(...[name, , , , , parents]) {
        const keys = seen.at(-1)!;
        if (keys.has(name)) paths.add(fieldPath([...parents(), name]));
        if (keys.has(name) && ++found >= maxFields) throw enough;
        keys.add(name);
      },
    });
  } catch (error) {
    if (error !== enough) throw error;
  }
  return [...paths].map((path) => ({ path, message: 'stands twice in one object' }));
}
