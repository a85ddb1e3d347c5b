// Edge 2: serves schema.graphql as an Express handler, which app.ts mounts on exactly POST /admin/graphql/.
import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { expressMiddleware } from '@as-integrations/express5';
import express, { type RequestHandler } from 'express';
import type { Log } from '../platform/log.ts';
import { createContext, type AdminContext } from './context.ts';
import { formatError } from './errors.ts';
import { failureLog } from './failureLog.ts';
import { bodyErrors, requestBody } from './requestBody.ts';
import { resolvers } from './resolvers.ts';

export interface AdminApiDeps {
  /** The text of schema.graphql: the build lies elsewhere than the contract, so main.ts reads it. */
  sdl: string;
  production: boolean;
  log: Log;
}

export interface AdminApi {
  handler: RequestHandler;
  /** Refuses new operations; the HTTP server has drained before. */
  stop(): Promise<void>;
}

const maxTokens = 2_000;

/** The library's extras off: each of them would read the environment, call out or add a page. */
const withoutExtras = (): ApolloServerPlugin<AdminContext>[] => [
  ApolloServerPluginCacheControlDisabled(),
  ApolloServerPluginLandingPageDisabled(),
  ApolloServerPluginUsageReportingDisabled(),
];

function createServer({ sdl, production, log }: AdminApiDeps): ApolloServer<AdminContext> {
  return new ApolloServer<AdminContext>({
    typeDefs: sdl,
    resolvers,
    formatError,
    plugins: [failureLog(log), ...withoutExtras()],
    logger: log,
    nodeEnv: production ? 'production' : 'development',
    introspection: !production,
    hideSchemaDetailsFromClientErrors: production,
    includeStacktraceInErrorResponses: false,
    csrfPrevention: true,
    persistedQueries: false,
    parseOptions: { maxTokens },
    stopOnTerminationSignals: false,
  });
}

export async function createAdminApi(deps: AdminApiDeps): Promise<AdminApi> {
  const server = createServer(deps);
  await server.start();
  const graphql = expressMiddleware(server, { context: async () => createContext() });
  const handler = express.Router().use(requestBody, graphql, bodyErrors(deps.log));
  return { handler, stop: () => server.stop() };
}
