// The composition root: the public edge, the dashboard's files, the Express app of the admin API, then 404. It never listens.
import type { RequestListener } from 'node:http';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { Deps } from './deps.ts';
import type { AdminApi } from './graphql/adminApi.ts';
import type { DashboardPage } from './http/dashboard/dashboardPage.ts';
import { createPublicApi } from './http/publicApi.ts';
import { type PublicContract, requestPath } from './http/publicContract.ts';
import { errorResponse, send, sendWritten } from './http/responses.ts';
import { AppError } from './platform/errors.ts';
import { limitSlowReaders, requestIdOf } from './platform/httpServer/httpServer.ts';
import { traceRequest } from './platform/observability/tracing/tracing.ts';

export interface Edges {
  /** Null where this process does not serve the public API. */
  contract: PublicContract | null;
  /** Null where this process does not serve the admin API. */
  admin: AdminApi | null;
  /** How many entries at the end of X-Forwarded-For the service believes. Default: none. */
  trustedProxies?: number;
  /** The other origins from which browsers may call the admin API. Default: none. */
  dashboardOrigins?: readonly string[];
  /** Default: none is served. */
  dashboard?: DashboardPage;
}

const adminPath = '/admin/graphql/';
const notFound = () => errorResponse(new AppError('not_found', undefined));

/** Responses are private data and no page: a browser that opens one must not run, frame or keep anything of it. */
const adminHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
};

const slowReaderLimits = { bytes: 64 * 1024 * 1024, millis: 60_000 };

function observe(response: Response, operation: string, { responded }: Deps['metrics']): void {
  const begun = performance.now();
  response.on('finish', () => responded({ operation, status: response.statusCode, millis: performance.now() - begun }));
}

export function createApp(edges: Edges, deps: Deps): RequestListener {
  const { contract, admin, trustedProxies = 0, dashboardOrigins = [], dashboard = () => null } = edges;
  const publicApi = contract ? createPublicApi(contract, deps) : () => false;
  const crossOrigin = allowOrigins(dashboardOrigins);
  const limitReader = limitSlowReaders(slowReaderLimits);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', trustedProxies);
  app.use((request, response, next) => {
    const path = requestPath(request.url);
    const isAdmin = admin !== null && path === adminPath;
    const page = dashboard(request, path);
    observe(response, isAdmin ? 'adminGraphql' : page ? 'dashboard' : 'unrouted', deps.metrics);
    if (page) return sendWritten(response, page);
    // Compared exactly: a route of Express would also accept the path without its slash, and respond to OPTIONS.
    if (!isAdmin) return send(response, notFound());
    limitReader(response);
    response.set({ ...adminHeaders, 'X-Request-Id': requestIdOf(request) });
    crossOrigin(request, response, () => {
      if (request.method !== 'POST') return send(response, notFound());
      const traced = { request, response, route: adminPath, operation: 'adminGraphql' };
      traceRequest(deps.tracing, traced, () => void admin.handler(request, response, next));
    });
  });
  return (request, response) => {
    // The response to an upload is short.
    if (request.method === 'GET') limitReader(response);
    // Before Express, which takes a tenth of an upload's processor time (docs/decisions/upload-reading.md).
    if (publicApi(request, response)) return;
    // A URL that Express cannot parse reaches no middleware, and Express's own response is a page of HTML.
    app(request as Request, response as Response, () => send(response, notFound()));
  };
}

// Cross-origin requests (Fetch standard, CORS): configured dashboards may call the admin API from their own origins.

/** How long a browser may keep the response to a preflight: a day, the longest that any browser keeps it. */
const maxAgeSeconds = 86_400;

/**
 * Responds to a dashboard's preflight and lets the dashboard read every response, also a refusal. Every other request
 * is passed to `next`. Origins are compared exactly. The API uses no cookies, so it allows no credentials.
 */
export function allowOrigins(origins: readonly string[]): RequestHandler {
  return (request, response, next) => {
    const { origin = '' } = request.headers;
    const allowed = origins.includes(origin);
    if (allowed && isPreflight(request)) return respondToPreflight(response, origin);
    if (request.method === 'POST' && origins.length > 0) {
      // Sent to other origins too: a cache must not give their response to a dashboard.
      response.vary('Origin');
      if (allowed)
        response.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': 'x-request-id' });
    }
    next();
  };
}

function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] === 'POST';
}

function respondToPreflight(response: Response, origin: string): void {
  response
    .status(204)
    .set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Methods': 'POST',
      'Access-Control-Allow-Headers': 'authorization, content-type, x-request-id',
      'Access-Control-Max-Age': String(maxAgeSeconds),
      Vary: 'Origin',
    })
    .end();
}
