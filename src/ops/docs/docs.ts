// The documentation pages of the private listener: both contracts browsable, tried from the page, nothing from another host.
import express, { type RequestHandler, type Response, type Router } from 'express';
import { loadAssets } from './assets.ts';
import type { DocsOptions } from './docsOptions.ts';
import { explorerPage } from './explorerPage.ts';
import { overviewPage } from './overviewPage.ts';
import { referencePage } from './referencePage.ts';

/** Inline styles are how both tools size their panes; inline scripts are not allowed. */
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

/** Answers below /docs, and /openapi.yaml and /schema.graphql. Throws when a file of the pages is missing. */
export async function createDocs(options: DocsOptions): Promise<Router> {
  const assets = await loadAssets();
  const router = express.Router();
  // First, without the headers of pages: its answers are those of the public listener, but for a policy of its own.
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
 * The pages' requests go to the APIs in this process, so the public listener answers other origins no differently for
 * their sake. Nobody stands in front of the private listener, so what a request says of its own address is not believed.
 */
function tryIt({ apis }: DocsOptions): RequestHandler {
  return (request, response) => {
    delete request.headers['x-forwarded-for'];
    apis(request, response);
  };
}

/** Never kept: they show keys, and a command with the time in it. */
function sendPage(response: Response, html: string): void {
  response.set('Cache-Control', 'no-store').type('html').send(html);
}

/** Asked for again each time and answered 304 while nothing has changed. */
function sendContract(response: Response, file: string, type: string): void {
  response.set({ 'Cache-Control': 'no-cache', 'Content-Type': type }).sendFile(file, { cacheControl: false });
}
