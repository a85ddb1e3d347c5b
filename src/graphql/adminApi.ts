// The edge of the admin API: serves schema.graphql as an Express handler. app.ts mounts it on exactly POST /admin/graphql/.
import { ApolloServer, type ApolloServerOptions, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { expressMiddleware } from '@as-integrations/express5';
import express, { type RequestHandler } from 'express';
import { buildSchema, NoSchemaIntrospectionCustomRule } from 'graphql';
import type { Deps } from '../deps.ts';
import { stringifyWithRawJson } from '../platform/json/rawJson.ts';
import { assertAccessCovers } from './access.ts';
import { admission } from './admission.ts';
import { argumentFields } from './argumentFields.ts';
import { createContext, type AdminContext, type AdminDeps } from './context.ts';
import { errorReports } from './errorReports.ts';
import { formatError } from './errors.ts';
import { nestedRefusals } from './nestedRefusals.ts';
import { createPlaces, defaultPlaces, takePlaces, type PlaceBounds, type Places } from './places.ts';
import { bodyErrors, requestBody } from './requestBody.ts';
import { resolvers } from './resolvers.ts';
import { responseLimits } from './responseLimits.ts';
import { tracedOperations } from './tracedOperations.ts';
import { boundStrangers, defaultStrangerLimits, type StrangerLimits } from './strangers.ts';

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
    // admission.ts validates.
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
