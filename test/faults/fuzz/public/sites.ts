// All nodes of a body with their schemas: the places of a possible change.
import { changesOf, type Change, type Segments } from './changes.ts';
import { objectChanges } from './objectChanges.ts';
import { withMembers } from './validValue.ts';
import type { JsonSchema } from './schema.ts';

export interface Site {
  schema: JsonSchema;
  at: Segments;
  /** The same for all items of an array: `sessions[].events[].name`. */
  rule: string;
  /** Undefined when the field is absent. */
  value: unknown;
}

/** Absent optional fields are sites too; the fields below them are not. */
export function sitesOf(schema: JsonSchema, value: unknown): Site[] {
  return below({ schema, value, at: [], rule: '' });
}

function below(site: Site): Site[] {
  const { schema, value, at, rule } = site;
  const sites = [site];
  if (Array.isArray(value) && schema.items) {
    for (const [index, item] of value.entries()) {
      sites.push(...below({ schema: schema.items, value: item, at: [...at, index], rule: `${rule}[]` }));
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const field = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
      sites.push(...below({ schema: property, value: field, at: [...at, name], rule: ruleOf(rule, name) }));
    }
  }
  return sites;
}

function ruleOf(parent: string, name: string): string {
  return parent === '' ? name : `${parent}.${name}`;
}

const known = new Map<JsonSchema, Change[]>();

export function allChanges(schema: JsonSchema): Change[] {
  const changes = known.get(schema) ?? [
    ...changesOf(schema),
    ...(schema.type === 'object' ? objectChanges(schema) : []),
  ];
  known.set(schema, changes);
  return changes;
}

/** `rule: change` for every possible change of a body of this schema. */
export function rulesOf(schema: JsonSchema, rule = ''): { name: string; change: Change }[] {
  const own = allChanges(schema).map((change) => ({ name: `${rule}: ${change.name}`, change }));
  const items = schema.items ? rulesOf(schema.items, `${rule}[]`) : [];
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    rulesOf(property, ruleOf(rule, name)),
  );
  return [...own, ...items, ...properties];
}

/** A copy of `value` with `replacement` in one place. */
export function withNode(value: unknown, [first, ...rest]: Segments, replacement: unknown): unknown {
  if (first === undefined) return replacement;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => (index === first ? withNode(item, rest, replacement) : item));
  }
  const fields = (value ?? {}) as Record<string, unknown>;
  return withMembers(fields, [[String(first), withNode(fields[first], rest, replacement)]]);
}
