// The parts of a JSON schema that this service reads itself. Ajv compiles the rest.
import type { LimitUnit } from '../errors.ts';

export interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  maxItems?: number;
  'x-limit-unit'?: LimitUnit;
  [keyword: string]: unknown;
}
