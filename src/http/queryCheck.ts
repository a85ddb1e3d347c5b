// Checks the query of a request against the parameters of its operation (openapi.yaml, "Errors").
import type { Ajv, ValidateFunction } from 'ajv';
import type { FieldError } from '../platform/errors.ts';
import type { Schema } from '../platform/json/schema.ts';
import { messageOf } from './bodyCheck.ts';

export interface QueryParameter {
  name: string;
  schema: Schema;
  required: boolean;
}

/** `fields` names every offending parameter. `query` holds the parameters that are given and known. */
export type QueryReading = (url: string) => { query: Record<string, string | number>; fields: FieldError[] };

/** A parameter that the operation does not know is ignored. */
export function compileQueryCheck(ajv: Ajv, parameters: QueryParameter[]): QueryReading {
  const checks = parameters.map((each) => ({ ...each, validate: ajv.compile(each.schema) }));
  return (url) => {
    const begin = url.indexOf('?');
    // With its "?": URLSearchParams removes one, and a second one is part of a name.
    const sent = new URLSearchParams(begin < 0 ? '' : url.slice(begin));
    const query: Record<string, string | number> = {};
    const fields: FieldError[] = [];
    for (const { name, schema, required, validate } of checks) {
      const values = sent.getAll(name);
      if (values.length === 0 && required) fields.push({ path: name, message: 'is required' });
      if (values.length === 0) continue;
      const value = valueOf(values[0]!, schema);
      const message = values.length > 1 ? 'is given twice' : fault(value, validate);
      if (message !== null) fields.push({ path: name, message });
      else query[name] = value;
    }
    return { query, fields };
  };
}

/** An integer in decimal digits becomes a number. Any other text stays a text, and so fails the type `integer`. */
function valueOf(text: string, { type }: Schema): string | number {
  return type === 'integer' && /^[0-9]+$/.test(text) ? Number(text) : text;
}

function fault(value: string | number, validate: ValidateFunction): string | null {
  if (validate(value)) return null;
  const error = validate.errors![0]!;
  return error.keyword === 'type' ? 'must be an integer in decimal digits' : messageOf(error);
}
