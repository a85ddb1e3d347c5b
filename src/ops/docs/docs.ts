// The documentation pages of the private listener: both contracts, requests to try, and nothing from another host.
import express, { type RequestHandler, type Response, type Router } from 'express';
import { loadAssets } from './assets.ts';
import type { DocsOptions } from './docsOptions.ts';
import { explorerPage } from './explorerPage.ts';
import { refuseForeignHosts } from './ownHost.ts';
import { overviewPage } from './overviewPage.ts';
import { referencePage } from './referencePage.ts';

/** Both tools size their panes by inline styles. Inline scripts are not allowed. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const securityHeaders: RequestHandler = (_request, response, next) => {
  response.set({
    'Content-Security-Policy': contentSecurityPolicy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  });
  next();
};

/** Serves /docs and below, /openapi.yaml and /schema.graphql. Throws when a file of the pages is missing. */
export async function createDocs(options: DocsOptions): Promise<Router> {
  const assets = await loadAssets();
  const router = express.Router();
  router.use(refuseForeignHosts);
  // First, without the headers of pages: the public listener's handlers write its responses, with the policy that
  // opsApi.ts sets.
  router.use('/docs/try', tryIt(options));
  router.use(securityHeaders);
  router.get('/docs', (_request, response) => sendPage(response, overviewPage(options, assets)));
  router.get('/docs/public', (_request, response) => sendPage(response, referencePage(options, assets)));
  router.get('/docs/admin', (_request, response) => sendPage(response, explorerPage(options, assets)));
  router.get('/openapi.yaml', (_request, response) => sendContract(response, options.documentFile, 'application/yaml'));
  router.get('/schema.graphql', (_request, response) =>
    sendContract(response, options.sdlFile, 'application/graphql; charset=utf-8'),
  );
  for (const { url, file } of Object.values(assets)) {
    router.get(url, (_request, response) => {
      response.set('Cache-Control', 'public, max-age=31536000, immutable').sendFile(file, { cacheControl: false });
    });
  }
  return router;
}

/**
 * The pages' requests go to the APIs in this process, so the public listener needs no CORS for them. No proxy stands before
 * the private listener, so a request's own X-Forwarded-For is dropped.
 */
function tryIt({ apis }: DocsOptions): RequestHandler {
  return (request, response) => {
    delete request.headers['x-forwarded-for'];
    apis(request, response);
  };
}

/** Not cached: a page shows keys, and a command that holds the time. */
function sendPage(response: Response, html: string): void {
  response.set('Cache-Control', 'no-store').type('html').send(html);
}

/** A browser revalidates the file each time, and gets 304 while it is unchanged. */
function sendContract(response: Response, file: string, type: string): void {
  response.set({ 'Cache-Control': 'no-cache', 'Content-Type': type }).sendFile(file, { cacheControl: false });
}
