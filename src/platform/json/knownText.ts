// A walk over the strings of a body that the service would store: what the contract does not know is ignored, and so not visited.
import type { Schema } from './schema.ts';

export interface KnownText {
  text: string;
  /** Keys and indexes from the body's root; valid only until the walk goes on. */
  at: readonly (string | number)[];
  /** True for the key of a member, which is then the last segment of `at`. */
  isKey: boolean;
  /** Puts another value in this one's place. */
  replace: (value: unknown) => void;
}

type Container = Record<string | number, unknown>;

/** `see` answers true to end the walk. */
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
      // An array, too, is read and written by key here.
      return value.some((_, index) => visitMember(schema?.items, value as unknown as Container, index));
    }
    return visitObject(schema, value as Container);
  }

  /** Without a schema, or where any member is kept, the keys themselves are stored too. */
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
