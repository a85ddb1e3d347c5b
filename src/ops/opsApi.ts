// The private listener: liveness, readiness, metrics, and outside production the documentation. Never exposed to clients.
import express, { type Express, type RequestHandler } from 'express';
import type { Registry } from 'prom-client';

/** `serving` begins when the ports listen and the jobs run, and ends when a shutdown begins. */
export type ProcessState = 'starting' | 'serving' | 'draining';

export interface OpsDeps {
  registry: Registry;
  /** Resolves when the database responds. */
  pingDatabase: () => Promise<unknown>;
  state: () => ProcessState;
  /** The documentation pages; null in production, and in a process that serves no API. */
  docs: RequestHandler | null;
}

const headers = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
};

const noReason = (): null => null;

export function createOpsApi({ registry, pingDatabase, state, docs }: OpsDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use((_request, response, next) => {
    response.set(headers);
    next();
  });
  app.get('/livez', (_request, response) => {
    response.json({ status: 'alive' });
  });
  app.get('/readyz', async (_request, response) => {
    const reason = state() === 'serving' ? await pingDatabase().then(noReason, () => 'database') : state();
    response.status(reason ? 503 : 200).json(reason ? { status: 'not ready', reason } : { status: 'ready' });
  });
  app.get('/metrics', async (_request, response) => {
    response.type(registry.contentType).send(await registry.metrics());
  });
  if (docs) app.use(docs);
  app.use((_request, response) => {
    response.status(404).json({ detail: 'Not Found' });
  });
  return app;
}
