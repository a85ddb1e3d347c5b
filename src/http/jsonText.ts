// The reading of a JSON body, refusing what JSON.parse would silently change: duplicate keys, deep nesting, 64-bit integers.
import { parseTree, visit, type Node } from 'jsonc-parser';
import type { FieldError } from '../platform/errors.ts';
import { fieldPath, maxFields } from './fieldPath.ts';

export type JsonReading = { value: unknown; fields?: undefined } | { value?: undefined; fields: FieldError[] };

const maxDepth = 32;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The value of a body, or the fields that make it unreadable; a body that is no JSON object has one with path "". */
export function readJson(bytes: Buffer): JsonReading {
  // Before parsing: from 5,000 levels on, walking or writing the value overflows the stack.
  const { tooDeep, colons } = scan(bytes);
  if (tooDeep) return refused(`is nested deeper than ${maxDepth} levels`);
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
    value = JSON.parse(text);
  } catch {
    return refused('is not valid JSON in UTF-8');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refused('must be a JSON object');
  // JSON.parse keeps the last of two equal keys: then the text has more colons than the value has members.
  if (countMembers(value) !== colons) return { fields: duplicateKeys(text) };
  return { value };
}

function refused(message: string): JsonReading {
  return { fields: [{ path: '', message }] };
}

const byteOf = {
  quote: 0x22,
  backslash: 0x5c,
  colon: 0x3a,
  openBrace: 0x7b,
  closeBrace: 0x7d,
  openBracket: 0x5b,
  closeBracket: 0x5d,
};

/** One pass over the bytes; those of longer UTF-8 sequences never collide with the ASCII looked for. */
function scan(bytes: Buffer): { tooDeep: boolean; colons: number } {
  let depth = 0;
  let colons = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === byteOf.quote) {
      i++;
      while (i < bytes.length && bytes[i] !== byteOf.quote) i += bytes[i] === byteOf.backslash ? 2 : 1;
    } else if (byte === byteOf.colon) colons += 1;
    else if (byte === byteOf.openBrace || byte === byteOf.openBracket) {
      if (++depth > maxDepth) return { tooDeep: true, colons };
    } else if (byte === byteOf.closeBrace || byte === byteOf.closeBracket) depth -= 1;
  }
  return { tooDeep: false, colons };
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) members += countMembers(item);
    return members;
  }
  for (const member of Object.values(value)) members += 1 + countMembers(member);
  return members;
}

/** Only for a body already known to hold one: names each repeated key by its path. */
function duplicateKeys(text: string): FieldError[] {
  const seen: Set<string>[] = [];
  const paths = new Set<string>();
  visit(text, {
    onObjectBegin: () => void seen.push(new Set()),
    onObjectEnd: () => void seen.pop(),
    onObjectProperty(...[name, , , , , parents]) {
      const keys = seen.at(-1)!;
      if (keys.has(name) && paths.size < maxFields) paths.add(fieldPath([...parents(), name]));
      keys.add(name);
    },
  });
  return [...paths].map((path) => ({ path, message: 'stands twice in one object' }));
}

const longInteger = /\d{16}/;

/**
 * Puts every integer that a double would round back in as a bigint. Only after validation: the contract's numbers are
 * doubles, and the fields that may hold such an integer are property values, which are kept as they were sent.
 */
export function withExactIntegers(text: string, value: unknown): unknown {
  if (!longInteger.test(text)) return value;
  const root = parseTree(text);
  if (root) restoreMembers(root, value as Container, text);
  return value;
}

type Container = Record<string | number, unknown>;

function restoreMembers(node: Node, container: Container, text: string): void {
  for (const [index, child] of (node.children ?? []).entries()) {
    const [name, member] = child.type === 'property' ? child.children! : [undefined, child];
    const key = name ? (name.value as string) : index;
    const source = text.slice(member.offset, member.offset + member.length);
    if (member.type === 'number' && roundedInteger(source)) {
      Object.defineProperty(container, key, { value: BigInt(source) });
    } else if (typeof container[key] === 'object' && container[key] !== null) {
      restoreMembers(member, container[key] as Container, text);
    }
  }
}

function roundedInteger(source: string): boolean {
  return /^-?\d{16,}$/.test(source) && !Number.isSafeInteger(Number(source));
}
