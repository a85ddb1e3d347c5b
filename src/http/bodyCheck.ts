// Finds every offending field of a body, level by level, and stops at 100: a hostile body could have any number.
import type { Ajv, ErrorObject } from 'ajv';
import type { FieldError, LimitUnit } from '../platform/errors.ts';
import { fieldPath, maxFields } from '../platform/json/fieldPath.ts';
import type { Schema } from '../platform/json/schema.ts';

export interface BodyFaults {
  fields: FieldError[];
  /** The outermost count over its limit. The refusal is then 413, also when fields are at fault. */
  overLimit: { unit: LimitUnit; limit: number } | null;
}

type Segments = readonly (string | number)[];
type Check = (value: unknown, at: Segments, faults: Faults) => void;

/** At most 100 fields, one for each path: a value that fails every branch of a `oneOf` is one fault. */
class Faults implements BodyFaults {
  readonly #messages = new Map<string, string>();
  overLimit: BodyFaults['overLimit'] = null;

  get full(): boolean {
    return this.#messages.size >= maxFields;
  }
  get fields(): FieldError[] {
    return [...this.#messages].map(([path, message]) => ({ path, message }));
  }
  /** `errors` are the errors of `value`, which is at the place `at` of the body. */
  addErrors(errors: ErrorObject[], value: unknown, at: Segments): void {
    const choices = new Set(
      errors.filter(({ keyword }) => keyword === 'oneOf').map(({ instancePath }) => instancePath),
    );
    for (const error of errors) {
      // The error of the choice says more than "must be string" of one branch.
      if (error.keyword === 'type' && choices.has(error.instancePath)) continue;
      const path = fieldPath([...at, ...segmentsOf(error, value)]);
      if (!this.full && !this.#messages.has(path)) this.#messages.set(path, messageOf(error));
    }
  }
}

/** Compiles a schema once, into a function that lists the faults of one body. `ajv` must be made with `allErrors`. */
export function compileBodyCheck(ajv: Ajv, schema: Schema): (body: unknown) => BodyFaults {
  const check = compile(ajv, schema);
  return (body) => {
    const faults = new Faults();
    check(body, [], faults);
    return faults;
  };
}

/** Ajv checks each level by itself. The items of an array have their own checks. */
function compile(ajv: Ajv, schema: Schema): Check {
  if (schema.type === 'array' && schema.items) return compileArray(ajv, schema);
  const nested = Object.entries(schema.properties ?? {}).filter(([, property]) => holdsArray(property));
  const own = nested.length === 0 ? schema : { ...schema, properties: { ...schema.properties } };
  for (const [name] of nested) own.properties![name] = {};
  const validate = ajv.compile(own);
  const children = nested.map(([name, property]) => ({ name, check: compile(ajv, property) }));
  return (value, at, faults) => {
    if (!faults.full && !validate(value)) faults.addErrors(validate.errors!, value, at);
    if (typeof value !== 'object' || value === null) return;
    for (const { name, check } of children) {
      if (faults.full && faults.overLimit) return;
      if (Object.hasOwn(value, name)) check((value as Record<string, unknown>)[name], [...at, name], faults);
    }
  };
}

function compileArray(ajv: Ajv, { items, ...own }: Schema): Check {
  const validate = ajv.compile(own);
  const checkItem = compile(ajv, items!);
  const limit = own.maxItems ?? Infinity;
  return (value, at, faults) => {
    if (Array.isArray(value) && value.length > limit && own['x-limit-unit']) {
      faults.overLimit ??= { unit: own['x-limit-unit'], limit };
      return;
    }
    if (!faults.full && !validate(value)) faults.addErrors(validate.errors!, value, at);
    if (!Array.isArray(value)) return;
    for (const [index, item] of value.entries()) checkItem(item, [...at, index], faults);
  };
}

function holdsArray(schema: Schema): boolean {
  return schema.type === 'array' || Object.values(schema.properties ?? {}).some(holdsArray);
}

/** The segments of an Ajv pointer. The value decides what `0` is: an index only where the parent is an array. */
function segmentsOf(error: ErrorObject, value: unknown): (string | number)[] {
  const segments: (string | number)[] = [];
  let parent: unknown = value;
  for (const part of error.instancePath.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    segments.push(Array.isArray(parent) ? Number(key) : key);
    parent = (parent as Record<string, unknown> | undefined)?.[key];
  }
  const { missingProperty, property } = error.params as { missingProperty?: string; property?: string };
  const last = missingProperty ?? property;
  return last === undefined ? segments : [...segments, last];
}

const formats: Record<string, string> = {
  'date-time': 'must be an ISO 8601 date and time with an offset',
};

/** A message names the rule and never repeats the value. */
export function messageOf({ keyword, message, params }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'pattern':
      return 'must not be blank';
    case 'oneOf':
      return 'must be a string, a number or a boolean';
    case 'enum':
      return `must be one of: ${(params as { allowedValues: unknown[] }).allowedValues.join(', ')}`;
    case 'format':
      return formats[(params as { format: string }).format] ?? 'does not have its form';
    case 'minItems':
      return 'must have at least one entry';
    default:
      return message ?? 'is not valid';
  }
}
