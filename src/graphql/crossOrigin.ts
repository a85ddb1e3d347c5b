// Cross-origin requests (Fetch standard, CORS): configured dashboards may call the admin API from their own origins.
import type { Request, RequestHandler, Response } from 'express';

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
    if (allowed && isPreflight(request)) return answerPreflight(response, origin);
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

function answerPreflight(response: Response, origin: string): void {
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
