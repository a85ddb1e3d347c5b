// The edge of the admin API: serves schema.graphql as an Express handler. app.ts mounts it on exactly POST /admin/graphql/.
import { isUtf8 } from 'node:buffer';
import {
  ApolloServer,
  type ApolloServerOptions,
  type ApolloServerPlugin,
  type GraphQLRequestContextWillSendResponse,
} from '@apollo/server';
import { unwrapResolverError } from '@apollo/server/errors';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { expressMiddleware } from '@as-integrations/express5';
import express, { type ErrorRequestHandler, type RequestHandler, type Response } from 'express';
import { buildSchema, type GraphQLError, type GraphQLFormattedError, NoSchemaIntrospectionCustomRule } from 'graphql';
import type { ErrorCode } from '../../generated/graphql.ts';
import { loggedNetwork } from '../accounts/attempts.ts';
import type { Deps } from '../deps.ts';
import { requestIdOf } from '../platform/httpServer/httpServer.ts';
import { jsonBytes, stringifyWithRawJson } from '../platform/json/jsonBytes.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Metrics } from '../platform/observability/metrics.ts';
import type { Tracing } from '../platform/observability/tracing/tracing.ts';
import { mostBytes, tooLong } from '../platform/responseBudget.ts';
import { accessOf, assertAccessCovers, selectedRootFields } from './authorization.ts';
import {
  type AdminContext,
  type AdminDeps,
  boundStrangers,
  createContext,
  createPlaces,
  defaultPlaces,
  defaultStrangerLimits,
  type PlaceBounds,
  type Places,
  type StrangerLimits,
  takePlaces,
} from './context.ts';
import { admission, argumentFields } from './documentValidation.ts';
import { formatError } from './errors.ts';
import { resolvers } from './resolvers.ts';

export interface AdminApiOptions {
  /** The text of schema.graphql. */
  sdl: string;
  production: boolean;
  deps: Deps;
  /** Default: those of schema.graphql. */
  strangerLimits?: StrangerLimits;
  /** Default: those of schema.graphql. */
  places?: PlaceBounds;
  /** The mock replaces the resolvers and the callers. */
  resolvers?: ApolloServerOptions<AdminContext>['resolvers'];
  contextOf?: typeof createContext;
}

export interface AdminApi {
  handler: RequestHandler;
  /** Refuses new operations. The HTTP server has drained before this call. */
  stop(): Promise<void>;
}

const maxTokens = 2_000;

/** Turns off Apollo's extras: each would read the environment, call another host or add a page. */
const withoutExtras = (): ApolloServerPlugin<AdminContext>[] => [
  ApolloServerPluginCacheControlDisabled(),
  ApolloServerPluginLandingPageDisabled(),
  ApolloServerPluginUsageReportingDisabled(),
];

function createServer({
  sdl,
  production,
  deps: { log, metrics, tracing },
  ...options
}: AdminApiOptions): ApolloServer<AdminContext> {
  return new ApolloServer<AdminContext>({
    typeDefs: sdl,
    resolvers: options.resolvers ?? resolvers,
    formatError,
    // In this order: admission gives the errors of validation, and the reports count what remains after the limits.
    plugins: [
      admission({ rules: production ? [NoSchemaIntrospectionCustomRule] : [], hideSuggestions: production }),
      argumentFields(),
      nestedRefusals(),
      responseLimits(),
      errorReports({ log, metrics }),
      ...(tracing ? [tracedOperations(tracing)] : []),
      ...withoutExtras(),
    ],
    logger: log,
    nodeEnv: production ? 'production' : 'development',
    // Production uses the GraphQL library's own rule instead: the message of Apollo's rule names Apollo.
    introspection: true,
    hideSchemaDetailsFromClientErrors: production,
    includeStacktraceInErrorResponses: false,
    csrfPrevention: true,
    persistedQueries: false,
    parseOptions: { maxTokens },
    // documentValidation.ts validates.
    dangerouslyDisableValidation: true,
    stringifyResult: stringifyWithRawJson,
    stopOnTerminationSignals: false,
  });
}

export async function createAdminApi(options: AdminApiOptions): Promise<AdminApi> {
  assertAccessCovers(buildSchema(options.sdl));
  const server = createServer(options);
  await server.start();
  const { contextOf = createContext, strangerLimits = defaultStrangerLimits } = options;
  const places = createPlaces(options.places ?? defaultPlaces);
  const deps = { ...withoutIngestPool(options.deps), large: places.large };
  const withContext: RequestHandler = (request, response, next) => {
    response.locals['context'] = contextOf(request, deps);
    next();
  };
  const graphql = expressMiddleware(server, { context: async ({ res }) => res.locals['context'] as AdminContext });
  const handler = express
    .Router()
    .use(withContext, boundStrangers(strangerLimits), requestBody, takePlaces(places), graphql, bodyErrors(deps.log));
  return { handler, stop: () => server.stop() };
}

function withoutIngestPool({ pool: _pool, ...deps }: Deps): Omit<AdminDeps, keyof Places> {
  return deps;
}

// Reads the body of an admin request: only JSON, bounded in bytes. Every refusal has the form of a GraphQL error.

const bodyLimit = 100_000;
const responseTypes = ['application/json', 'application/graphql-response+json'];

interface Refusal {
  status: number;
  message: string;
  extensions: { code: ErrorCode; limit?: number };
}

const notJsonType: Refusal = {
  status: 415,
  message: 'Content-Type must be application/json, in UTF-8, and Content-Encoding a known one.',
  extensions: { code: 'BAD_REQUEST' },
};
const notAcceptable: Refusal = {
  status: 406,
  message: 'Accept excludes application/json and application/graphql-response+json.',
  extensions: { code: 'BAD_REQUEST' },
};
const notJson: Refusal = {
  status: 400,
  message: 'The body is not valid JSON in UTF-8.',
  extensions: { code: 'BAD_REQUEST' },
};
const notOperation: Refusal = {
  status: 400,
  message: 'The body must be a JSON object with a text "query".',
  extensions: { code: 'BAD_REQUEST' },
};
const tooLarge: Refusal = {
  status: 413,
  message: `The body is larger than ${bodyLimit} bytes.`,
  extensions: { code: 'PAYLOAD_TOO_LARGE', limit: bodyLimit },
};
const failed: Refusal = {
  status: 500,
  message: 'Internal server error.',
  extensions: { code: 'INTERNAL_SERVER_ERROR' },
};

function refuse(res: Response, { status, message, extensions }: Refusal): void {
  res.status(status).json({ errors: [{ message, extensions }] });
}

function namesOtherCharset(type = ''): boolean {
  const [, charset] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type.slice(0, 256)) ?? [];
  return charset !== undefined && charset.toLowerCase() !== 'utf-8';
}

/** Without this check the decoder would silently replace broken bytes by U+FFFD. */
function refuseBrokenUtf8(_req: unknown, _res: unknown, bytes: Buffer): void {
  if (!isUtf8(bytes)) throw Object.assign(new Error('not UTF-8'), { status: 400 });
}

/** Checks `Accept` here because Apollo checks it only after the operation has run. */
const requireJson: RequestHandler = (req, res, next) => {
  if (req.is('application/json') === false || namesOtherCharset(req.headers['content-type'])) refuse(res, notJsonType);
  else if (!req.accepts(responseTypes)) refuse(res, notAcceptable);
  else next();
};

/** Keeps the three members of a GraphQL request and drops all others, `extensions` too. */
const requireOperation: RequestHandler = (req, res, next) => {
  const body: unknown = req.body;
  if (typeof body !== 'object' || body === null || !('query' in body) || typeof body.query !== 'string') {
    refuse(res, notOperation);
    return;
  }
  const { query, variables, operationName } = body as { query: string; variables?: unknown; operationName?: unknown };
  req.body = {
    query,
    ...(variables !== undefined && { variables }),
    ...(operationName !== undefined && { operationName }),
  };
  next();
};

export const requestBody: RequestHandler[] = [
  requireJson,
  express.json({ limit: bodyLimit, type: 'application/json', verify: refuseBrokenUtf8 }),
  requireOperation,
];

/** Handles the errors of `express.json` and of Apollo's adapter. A status below 500 means that the body was refused. */
export function bodyErrors(log: Log): ErrorRequestHandler {
  return (error: { status?: number }, req, res, next) => {
    if (res.headersSent) return next(error);
    const refusals: Record<number, Refusal> = { 400: notJson, 413: tooLarge, 415: notJsonType };
    const refusal = refusals[error.status ?? 500] ?? failed;
    if (refusal === failed)
      log.error({ err: error, requestId: requestIdOf(req) }, 'admin request failed outside execution');
    refuse(res, refusal);
  };
}

// Keeps one FORBIDDEN of those below the root fields: a viewer's list of applications would have one for each `apiKeys`.

export function nestedRefusals(): ApolloServerPlugin {
  return {
    requestDidStart: async () => ({
      willSendResponse: async ({ response: { body } }) => {
        if (body.kind !== 'single' || !body.singleResult.errors?.some(isNestedRefusal)) return;
        const { data, errors } = body.singleResult;
        body.singleResult = { ...body.singleResult, errors: withOneRefusal(errors, data) };
      },
    }),
  };
}

function isNestedRefusal({ extensions, path = [] }: GraphQLFormattedError): boolean {
  return extensions?.['code'] === 'FORBIDDEN' && path.length > 1;
}

/** The first refusal in the response: the library notes errors in the order in which the statements end. */
function withOneRefusal(errors: readonly GraphQLFormattedError[], data: unknown): GraphQLFormattedError[] {
  const [first] = errors
    .filter(isNestedRefusal)
    .map((error) => ({ error, place: placeOf(error.path!, data) }))
    .sort((one, other) => compare(one.place, other.place));
  return errors.filter((error) => error === first!.error || !isNestedRefusal(error));
}

/** The path as positions: of an entry in its list, and of a field among those of its object. */
function placeOf(path: NonNullable<GraphQLFormattedError['path']>, data: unknown): number[] {
  let at = data;
  return path.map((segment) => {
    const parent = (at ?? {}) as Record<string | number, unknown>;
    at = parent[segment];
    return typeof segment === 'number' ? segment : Object.keys(parent).indexOf(segment);
  });
}

function compare(one: number[], other: number[]): number {
  const index = one.findIndex((position, at) => position !== other[at]);
  return index < 0 ? one.length - other.length : one[index]! - (other[index] ?? -1);
}

// Bounds each response of the admin API: at most 16 MiB of data and at most 100 errors.

const mostErrors = 100;

/**
 * The response budget counts each row once, when it is read. A request can ask for the same row under fifteen aliases
 * or below many objects, so this file measures the whole response before it is written. One cause can fail a field of
 * every object of a level, so errors are bounded too. Nothing here waits: Apollo calls the plugins after this one at once.
 */
export function responseLimits(): ApolloServerPlugin<AdminContext> {
  return {
    requestDidStart: async () => ({
      willSendResponse: async ({ response }) => limitResponse(response),
    }),
  };
}

function limitResponse({ body }: GraphQLRequestContextWillSendResponse<AdminContext>['response']): void {
  if (body.kind !== 'single') return;
  const { data, errors } = body.singleResult;
  if (data && jsonBytes(data, mostBytes) > mostBytes) {
    body.singleResult = { data: null, errors: [formatError({ message: '' }, tooLong())] };
  } else if (errors) body.singleResult = { ...body.singleResult, errors: errors.slice(0, mostErrors) };
}

// Reports errors in the admin API: failures and refused access in the log, and every error by its code in the metrics.

type Finished = GraphQLRequestContextWillSendResponse<AdminContext>;

const codeOf = ({ extensions }: GraphQLFormattedError): unknown => extensions?.['code'];

/** The dashboard sees a failure masked. The log has it once, with its cause and the request's id. */
export function errorReports({ log, metrics }: { log: Log; metrics: Metrics }): ApolloServerPlugin<AdminContext> {
  return {
    requestDidStart: async ({ contextValue: { requestId } }) => ({
      didEncounterErrors: async ({ errors }) => {
        for (const error of errors.filter(isFailure)) {
          log.error(
            { err: unwrapResolverError(error), requestId, path: error.path?.join('.') },
            'admin operation failed',
          );
        }
      },
      willSendResponse: async (finished) => {
        const { body } = finished.response;
        const errors = body.kind === 'single' ? (body.singleResult.errors ?? []) : [];
        for (const error of errors) metrics.adminError(String(codeOf(error)));
        await logRefusal(finished, errors);
      },
    }),
    contextCreationDidFail: async ({ error }) => log.error({ err: error }, 'admin request failed before execution'),
    unexpectedErrorProcessingRequest: async ({ requestContext: { contextValue }, error }) =>
      log.error({ err: error, requestId: contextValue.requestId }, 'admin request failed outside execution'),
  };
}

function isFailure(error: GraphQLError): boolean {
  return codeOf(formatError(error.toJSON(), error)) === 'INTERNAL_SERVER_ERROR';
}

/** By operation and code. The arguments are never logged: a password may be among them. */
async function logRefusal(
  { document, operation, contextValue }: Finished,
  errors: readonly GraphQLFormattedError[],
): Promise<void> {
  const refused = errors.find((error) => ['UNAUTHENTICATED', 'FORBIDDEN'].includes(String(codeOf(error))));
  if (!refused) return;
  const fields = document && operation ? [...selectedRootFields(document, operation)] : [];
  const userId = (await contextValue.authenticate().catch(() => null))?.userId;
  const operations = fields.filter((field) => (accessOf('Mutation', field) ?? accessOf('Query', field)) !== null);
  const network = loggedNetwork(contextValue.address);
  contextValue.log.info({ operations, outcome: codeOf(refused), userId, network }, 'access refused');
}

// Says on the span of an admin request which fields it asks for: names of schema.graphql, and no argument.

export function tracedOperations(tracing: Tracing): ApolloServerPlugin<AdminContext> {
  return {
    requestDidStart: async () => ({
      // After validation: before it, a name may be any text of the caller.
      executionDidStart: async ({ document, operation }) => {
        tracing.current()?.set({
          'graphql.operation.type': operation.operation,
          'graphql.root_fields': [...selectedRootFields(document, operation)],
        });
      },
      willSendResponse: async ({ response: { body } }) => {
        const errors = (body.kind === 'single' && body.singleResult.errors) || [];
        if (errors.length === 0) return;
        const codes = errors.map(({ extensions }) => String(extensions?.['code']));
        tracing.current()?.set({ 'graphql.error_codes': [...new Set(codes)] });
      },
    }),
  };
}
