// The parts of a JSON schema that this service reads itself. Ajv compiles the rest.
import type { LimitUnit } from '../errors.ts';

export interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  maxItems?: number;
  'x-limit-unit'?: LimitUnit;
  /** Of an object that is stored as its text: the most bytes of that text in UTF-8. */
  'x-max-stored-bytes'?: number;
  [keyword: string]: unknown;
}
