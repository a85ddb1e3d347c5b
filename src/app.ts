// The composition root: puts the public edge before the Express app of the admin API and answers 404 to everything else. It never listens.
import type { RequestListener } from 'node:http';
import express, { type Request, type Response } from 'express';
import type { Deps } from './deps.ts';
import type { AdminApi } from './graphql/adminApi.ts';
import { allowOrigins } from './graphql/crossOrigin.ts';
import { answerTo, send } from './http/answers.ts';
import { requestPath, type PublicContract } from './http/contract.ts';
import { createPublicApi } from './http/publicApi.ts';
import { AppError } from './platform/errors.ts';
import { requestIdOf } from './platform/httpServer/requestId.ts';

export interface Edges {
  contract: PublicContract;
  admin: AdminApi;
  /** How many entries at the end of X-Forwarded-For are to be believed. Default: none. */
  trustedProxies?: number;
  /** From which other origins browsers may call the admin API. Default: none. */
  dashboardOrigins?: readonly string[];
}

const adminPath = '/admin/graphql/';
const notFound = () => answerTo(new AppError('not_found', undefined));

/** Answers are data, private, and no page: whoever makes a browser open one gets nothing to run, frame or keep. */
const adminHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
};

function observe(response: Response, operation: string, { answered }: Deps['metrics']): void {
  const begun = performance.now();
  response.on('finish', () => answered({ operation, status: response.statusCode, millis: performance.now() - begun }));
}

export function createApp(edges: Edges, deps: Deps): RequestListener {
  const { contract, admin, trustedProxies = 0, dashboardOrigins = [] } = edges;
  const publicApi = createPublicApi(contract, deps);
  const crossOrigin = allowOrigins(dashboardOrigins);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', trustedProxies);
  app.use((request, response, next) => {
    const isAdmin = requestPath(request.url) === adminPath;
    const operation = isAdmin ? 'adminGraphql' : 'unrouted';
    observe(response, operation, deps.metrics);
    // Compared exactly: Express' own routes would take the path without its slash and answer OPTIONS.
    if (!isAdmin) return send(response, notFound());
    response.set({ ...adminHeaders, 'X-Request-Id': requestIdOf(request) });
    crossOrigin(request, response, () => {
      if (request.method === 'POST') admin.handler(request, response, next);
      else send(response, notFound());
    });
  });
  return (request, response) => {
    // Before Express, whose way to the first handler costs an upload a tenth of its processor time.
    if (publicApi(request, response)) return;
    // A URL that Express cannot parse reaches no middleware; its own answer would be a page of HTML.
    app(request as Request, response as Response, () => send(response, notFound()));
  };
}
