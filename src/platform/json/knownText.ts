// Walks over the strings of a body that the service would store. It does not visit members that the contract does not name.
import type { Schema } from './schema.ts';

export interface KnownText {
  text: string;
  /** Keys and indexes from the body's root. Valid only until the walk continues. */
  at: readonly (string | number)[];
  /** True for the key of a member, which is then the last segment of `at`. */
  isKey: boolean;
  /** Replaces the string by another value. */
  replace: (value: unknown) => void;
}

type Container = Record<string | number, unknown>;

/** The walk ends when `see` returns true. */
export function visitKnownText(schema: Schema, body: unknown, see: (found: KnownText) => boolean): void {
  const at: (string | number)[] = [];

  function visitMember(member: Schema | undefined, container: Container, key: string | number): boolean {
    at.push(key);
    const ended = visit(member, container, key);
    at.pop();
    return ended;
  }

  function visit(schema: Schema | undefined, container: Container, key: string | number): boolean {
    const value = container[key];
    if (typeof value === 'string') {
      const replace = (other: unknown) =>
        Object.defineProperty(container, key, { value: other, enumerable: true, writable: true, configurable: true });
      return see({ text: value, at, isKey: false, replace });
    }
    if (typeof value !== 'object' || value === null) return false;
    if (Array.isArray(value)) {
      if (schema && schema.type !== 'array') return false;
      // The code below reads and writes arrays by key, too.
      return value.some((_, index) => visitMember(schema?.items, value as unknown as Container, index));
    }
    return visitObject(schema, value as Container);
  }

  /** Without a schema, and where every member is kept, the keys are stored, too. */
  function visitObject(schema: Schema | undefined, value: Container): boolean {
    const keepsAll = !schema || schema['additionalProperties'] === true;
    for (const name of Object.keys(value)) {
      const known = schema?.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
      if (!known && !keepsAll) continue;
      if (!known && see({ text: name, at: [...at, name], isKey: true, replace: () => undefined })) return true;
      if (visitMember(known, value, name)) return true;
    }
    return false;
  }

  visitObject(schema, body as Container);
}
