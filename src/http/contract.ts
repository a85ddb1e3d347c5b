// Contract 1 as the server uses it: openapi.yaml loaded once, its routes and its compiled request bodies.
import { Ajv, type SchemaValidateFunction } from 'ajv';
import { OpenAPIBackend } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import { instantIn, parseIsoDateTime } from '../platform/isoDateTime.ts';
import type { Schema } from '../platform/json/schema.ts';
import { compileBodyCheck, type BodyFaults } from './bodyCheck.ts';
import { compileOnePass, type ByteForm, type OnePass } from './onePass/onePass.ts';
import type { OperationId } from './operationTypes.ts';
import { withPrimitiveChoices } from './primitiveChoice.ts';
import { compileQueryCheck, type QueryParameter, type QueryReading } from './queryCheck.ts';

export interface PublicOperation {
  id: OperationId;
  /** Null where the operation takes no body. */
  body: BodyContract | null;
  /** Reads the query off a request's target. */
  readQuery: QueryReading;
}

export interface BodyContract {
  schema: Schema;
  /** The value of a body that one pass can read, which nearly every body is; undefined for any other. */
  readPlain: OnePass;
  /** The quick verdict on a value that was read the long way. */
  isValid(body: unknown): boolean;
  /** The full list, for a body that is not valid. */
  faultsOf(body: unknown): BodyFaults;
}

export interface PublicContract {
  /** As it is written, for pages that show it. */
  document: OpenAPIV3.Document;
  /** Undefined where no route matches method and path exactly. */
  match(method: string, path: string): PublicOperation | undefined;
}

/** test/contract/operations.test.ts holds the document to OpenAPI's own schema: compiling that takes half a second of a start. */
class SoundDocument extends OpenAPIBackend<OpenAPIV3.Document> {
  override validateDefinition(): OpenAPIV3.Document {
    return this.document;
  }
}

/** Read by the edge's own checks, whether the contract requires them or not. */
const knownHeaders = ['x-api-key', 'x-timestamp', 'x-nonce', 'x-signature', 'if-none-match'];

/**
 * `file` is the path of openapi.yaml. Throws when the document names an operation without a handler, or one that asks for
 * what this edge would not look at.
 */
export async function loadPublicContract(file: string, handlerNames: readonly string[]): Promise<PublicContract> {
  const api = new SoundDocument({ definition: file, strict: true, ignoreTrailingSlashes: false, validate: false });
  await api.init();
  const operations = new Map<string, PublicOperation>();
  const quick = createAjv(false);
  for (const { operationId, method, path, requestBody, parameters } of api.router.getOperations()) {
    if (!operationId || !handlerNames.includes(operationId))
      throw new Error(`no handler for the operation ${operationId}`);
    refuseUnread({ operationId, path, parameters: parameters as OpenAPIV3.ParameterObject[] });
    const schema = (requestBody as OpenAPIV3.RequestBodyObject | undefined)?.content['application/json']?.schema as
      Schema | undefined;
    const operation = {
      id: operationId as OperationId,
      body: schema ? compileBody(schema, quick) : null,
      readQuery: compileQueryCheck(quick, queryParameters(parameters as OpenAPIV3.ParameterObject[])),
    };
    operations.set(`${method.toUpperCase()} ${path}`, operation);
  }
  // No path has a parameter, so a route is one look-up.
  return { document: api.document, match: (method, path) => operations.get(`${method} ${path}`) };
}

interface Asked {
  operationId: string;
  path: string;
  parameters?: OpenAPIV3.ParameterObject[];
}

function refuseUnread({ operationId, path, parameters = [] }: Asked): void {
  const instead = 'use a parameter in the query';
  if (path.includes('{')) throw new Error(`${operationId}: paths are matched as they stand, not ${path}; ${instead}`);
  const unread = parameters.filter(
    ({ in: place, name, required }) => required && place !== 'query' && !knownHeaders.includes(name.toLowerCase()),
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

/** `createAjv` has the same one for texts. */
const byteForms: Record<string, ByteForm> = {
  'date-time': (bytes, start, end) => instantIn(bytes, start, end) !== null,
};

function compileBody(schema: Schema, quick: Ajv): BodyContract {
  const isValid = quick.compile(withPrimitiveChoices(schema));
  const readPlain = compileOnePass(quick, schema, byteForms);
  let faultsOf: BodyContract['faultsOf'] | undefined;
  // Compiled at the first body that is not valid: it takes a tenth of a second that a start does not need.
  return {
    schema,
    readPlain,
    isValid,
    faultsOf: (body) => (faultsOf ??= compileBodyCheck(createAjv(true), schema))(body),
  };
}

/** Not strict: the contract's vendor extensions and examples are no keywords of JSON Schema. */
function createAjv(allErrors: boolean): Ajv {
  // What is no sound document is no sound schema either.
  const ajv = new Ajv({ allErrors, strict: false, strictNumbers: true, validateSchema: false, meta: false });
  ajv.addFormat('date-time', (text) => parseIsoDateTime(text) !== null);
  ajv.addFormat('date', (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && parseIsoDateTime(`${text}T00:00:00Z`) !== null);
  ajv.addFormat('int64', true);
  ajv.addFormat('int32', true);
  ajv.addKeyword({ keyword: 'x-reserved-names', type: 'object', schemaType: 'array', validate: refuseReservedName });
  return ajv;
}

/** The names of system events are reserved (spec, "Events", rule 3): a custom event must not bear one. */
const refuseReservedName: SchemaValidateFunction = (names: string[], event: { type?: unknown; name?: unknown }) => {
  const reserved = event.type === 'custom' && names.includes(event.name as string);
  refuseReservedName.errors = reserved
    ? [{ keyword: 'x-reserved-names', message: 'is reserved for system events', params: { property: 'name' } }]
    : [];
  return !reserved;
};
