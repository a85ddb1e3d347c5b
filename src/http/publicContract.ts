// openapi.yaml as the server uses it: loaded once, with its routes, its compiled request bodies and its queries.
import { Ajv, type ErrorObject, type SchemaValidateFunction, type ValidateFunction } from 'ajv';
import { OpenAPIBackend } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import type { FieldError, LimitUnit } from '../platform/errors.ts';
import { instantIn, parseIsoDateTime } from '../platform/inputRules.ts';
import { fieldPath, maxFields } from '../platform/json/readJson.ts';
import { compileOverlongObjects, type Schema, withPrimitiveChoices } from '../platform/json/schema.ts';
import { type ByteForm, compileOnePass, type OnePass } from './onePass/onePass.ts';
import type { OperationId } from './publicOperations.ts';

export interface PublicOperation {
  id: OperationId;
  /** As in the document, with the names of its parameters. */
  path: string;
  /** Null for an operation without a body. */
  body: BodyContract | null;
  /** The largest body, as sent and after inflating. Undefined: the limits of all bodies. */
  maxBytes: number | undefined;
  /** Reads the query of a request's target. */
  readQuery: QueryReading;
}

export interface BodyContract {
  schema: Schema;
  /** They bound the time of JSON.parse and of every walk over its value. */
  maxValues: number;
  /** Reads a body in one pass, as nearly every body can be; undefined for any other body. */
  readPlain: OnePass;
  /** The quick check of a value that JSON.parse has read. */
  isValid(body: unknown): boolean;
  /** Every fault of a body that is not valid. */
  faultsOf(body: unknown): BodyFaults;
  /** The objects that are longer than they may be stored. One pass reads no object whose members the schema does not name. */
  overlongObjects(text: string, bytes: number): FieldError[];
}

export interface PublicContract {
  /** For the pages that show it. */
  document: OpenAPIV3.Document;
  /** `target` is that of the request line. Undefined where no route matches method and path exactly. */
  match(method: string, target: string): PublicOperation | undefined;
}

/** A test, not the start, checks the document against OpenAPI's schema: compiling that schema takes half a second. */
class SoundDocument extends OpenAPIBackend<OpenAPIV3.Document> {
  override validateDefinition(): OpenAPIV3.Document {
    return this.document;
  }
}

/** The edge's own checks read these headers, whether the contract requires them or not. */
const knownHeaders = ['x-api-key', 'x-timestamp', 'x-nonce', 'x-signature', 'if-none-match'];

/**
 * `file` is the path of openapi.yaml. Throws for an operation without a handler, and for an operation that requires a
 * parameter which this edge does not read.
 */
export async function loadPublicContract(file: string, handlerNames: readonly string[]): Promise<PublicContract> {
  const api = new SoundDocument({ definition: file, strict: true, ignoreTrailingSlashes: false, validate: false });
  await api.init();
  const operations = new Map<string, PublicOperation>();
  const quick = createAjv(false);
  for (const { operationId, method, path, requestBody, parameters, ...others } of api.router.getOperations()) {
    const own = others as OwnLimits;
    if (!operationId || !handlerNames.includes(operationId))
      throw new Error(`no handler for the operation ${operationId}`);
    refuseUnread({ operationId, path, parameters: parameters as OpenAPIV3.ParameterObject[] });
    const schema = (requestBody as OpenAPIV3.RequestBodyObject | undefined)?.content['application/json']?.schema as
      Schema | undefined;
    const operation = {
      id: operationId as OperationId,
      path,
      body: schema ? { ...compileBody(schema, quick), maxValues: own['x-max-values'] ?? mostValues } : null,
      maxBytes: own['x-max-bytes'],
      readQuery: compileQueryCheck(quick, queryParameters(parameters as OpenAPIV3.ParameterObject[])),
    };
    operations.set(`${method.toUpperCase()} ${path.replace(endParameter, '/')}`, operation);
  }
  return { document: api.document, match: (method, target) => matchRoute(operations, method, requestPath(target)) };
}

/** Of an operation, in the contract. */
interface OwnLimits {
  'x-max-bytes'?: number;
  'x-max-values'?: number;
}

/** 1,000 events of 25 parameters each have 82,000 (docs/decisions/body-values.md). */
const mostValues = 100_000;

/** A parameter as the whole last segment. */
const endParameter = /\/\{\w+\}$/;

/** The route of a path that ends in a parameter is kept up to its last slash. Any other route is one look-up. */
function matchRoute(
  operations: Map<string, PublicOperation>,
  method: string,
  path: string,
): PublicOperation | undefined {
  const whole = operations.get(`${method} ${path}`);
  if (whole) return path.endsWith('/') ? undefined : whole;
  const begin = path.lastIndexOf('/') + 1;
  return begin > 1 && begin < path.length ? operations.get(`${method} ${path.slice(0, begin)}`) : undefined;
}

/** The last segment of a request's target, where the path ends in a parameter; not decoded. */
export function lastSegment(target: string): string {
  const path = requestPath(target);
  return path.slice(path.lastIndexOf('/') + 1);
}

interface Asked {
  operationId: string;
  path: string;
  parameters?: OpenAPIV3.ParameterObject[];
}

function refuseUnread({ operationId, path, parameters = [] }: Asked): void {
  const instead = 'use a parameter in the query';
  if (path.replace(endParameter, '').includes('{')) {
    throw new Error(`${operationId}: only the last segment of a path may be a parameter, not ${path}; ${instead}`);
  }
  const unread = parameters.filter(
    ({ in: place, name, required }) =>
      required && !['query', 'path'].includes(place) && !knownHeaders.includes(name.toLowerCase()),
  );
  for (const { in: place, name } of unread) {
    throw new Error(`${operationId}: nothing would miss the ${place} parameter ${name}; ${instead}`);
  }
  for (const { name, schema } of parameters.filter(({ in: place }) => place === 'query')) {
    const { type } = schema as Schema;
    if (type === 'string' || type === 'integer') continue;
    throw new Error(`${operationId}: the query parameter ${name} is no string or integer, and nothing else is read`);
  }
}

function queryParameters(parameters: OpenAPIV3.ParameterObject[] = []): QueryParameter[] {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  return inQuery.map(({ name, schema, required = false }) => ({ name, schema: schema as Schema, required }));
}

/** The formats that `createAjv` checks in texts, here checked in bytes. */
const byteForms: Record<string, ByteForm> = {
  'date-time': (bytes, start, end) => instantIn(bytes, start, end) !== null,
};

function compileBody(schema: Schema, quick: Ajv): Omit<BodyContract, 'maxValues'> {
  const isValid = quick.compile(withPrimitiveChoices(schema));
  const readPlain = compileOnePass(quick, schema, byteForms);
  let faultsOf: BodyContract['faultsOf'] | undefined;
  // Compiled at the first body that is not valid: it would add a tenth of a second to each start.
  return {
    schema,
    readPlain,
    isValid,
    faultsOf: (body) => (faultsOf ??= compileBodyCheck(createAjv(true), schema))(body),
    overlongObjects: compileOverlongObjects(schema),
  };
}

/** Not strict: the vendor extensions and examples of openapi.yaml are no keywords of JSON Schema. */
function createAjv(allErrors: boolean): Ajv {
  // The test of the document checks the schemas in it, too.
  const ajv = new Ajv({ allErrors, strict: false, strictNumbers: true, validateSchema: false, meta: false });
  ajv.addFormat('date-time', (text) => parseIsoDateTime(text) !== null);
  ajv.addFormat('int64', true);
  ajv.addFormat('int32', true);
  ajv.addKeyword({ keyword: 'x-reserved-names', type: 'object', schemaType: 'array', validate: refuseReservedName });
  return ajv;
}

/** A custom event must not have the name of a system event (openapi.yaml, "Events"). */
const refuseReservedName: SchemaValidateFunction = (names: string[], event: { type?: unknown; name?: unknown }) => {
  const reserved = event.type === 'custom' && names.includes(event.name as string);
  refuseReservedName.errors = reserved
    ? [{ keyword: 'x-reserved-names', message: 'is reserved for system events', params: { property: 'name' } }]
    : [];
  return !reserved;
};

/**
 * Scheme and authority of an absolute target (RFC 9112, 3.2.2). They are cut off the text: URL would resolve dots and
 * backslashes, and so match routes that the same path alone does not match.
 */
const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\\]+/i;

/** The path exactly as it was sent. A target that cannot be parsed has the path `''`, which has no route. */
export function requestPath(target: string): string {
  if (target.startsWith('/')) return target.slice(0, endOfPath(target));
  const absolute = origin.exec(target);
  if (!absolute || !URL.canParse(target)) return '';
  const rest = target.slice(absolute[0].length);
  return rest.slice(0, endOfPath(rest));
}

function endOfPath(target: string): number {
  const end = target.search(/[?#]/);
  return end < 0 ? target.length : end;
}

// Finds every offending field of a body, level by level, and stops at 100: a hostile body could have any number.

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

// Checks the query of a request against the parameters of its operation (openapi.yaml, "Errors").

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
