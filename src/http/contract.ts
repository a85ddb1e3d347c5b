// openapi.yaml as the server uses it: loaded once, with its routes, its compiled request bodies and its queries.
import { Ajv, type SchemaValidateFunction } from 'ajv';
import { OpenAPIBackend } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import type { FieldError } from '../platform/errors.ts';
import { instantIn, parseIsoDateTime } from '../platform/isoDateTime.ts';
import { compileOverlongObjects } from '../platform/json/overlongObjects.ts';
import type { Schema } from '../platform/json/schema.ts';
import { compileBodyCheck, type BodyFaults } from './bodyCheck.ts';
import { compileOnePass, type ByteForm, type OnePass } from './onePass/onePass.ts';
import type { OperationId } from './operationTypes.ts';
import { withPrimitiveChoices } from './primitiveChoice.ts';
import { compileQueryCheck, type QueryParameter, type QueryReading } from './queryCheck.ts';

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
