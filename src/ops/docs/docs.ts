// The documentation pages of the private listener: both contracts, a guide with samples, and nothing from another host.
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import path from 'node:path';
import express, { type RequestHandler, type Response, type Router } from 'express';
import { loadAssets } from './assets.ts';
import { explorerPage, referenceDocument, referencePage } from './contractPages.ts';
import type { DocsOptions } from './page.ts';
import { buildPage, loadSamples, overviewPage } from './textPages.ts';

/** Inline scripts are not allowed. `styles` says which styles are. */
const policyOf = (styles: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
/** GraphiQL sizes its panes by inline styles. */
const explorerPolicy = policyOf("'self' 'unsafe-inline'");

const securityHeaders: RequestHandler = (_request, response, next) => {
  response.set({
    'Content-Security-Policy': policyOf("'self'"),
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
  const samples = await loadSamples();
  const router = express.Router();
  router.use(refuseForeignHosts);
  // First, without the headers of pages: the public listener's handlers write its responses, with the policy that
  // opsApi.ts sets.
  router.use('/docs/try', tryIt(options));
  router.use(securityHeaders);
  router.get('/docs', (_request, response) => sendPage(response, overviewPage(options, assets)));
  router.get('/docs/build-an-sdk', (_request, response) => sendPage(response, buildPage(options, samples, assets)));
  router.get('/docs/public.json', (_request, response) => {
    response.set('Cache-Control', 'no-store').json(referenceDocument(options));
  });
  // Redoc writes its own addresses below the page's.
  router.get('/docs/public{/*part}', (_request, response) => {
    const nonce = randomBytes(16).toString('base64url');
    response.set('Content-Security-Policy', policyOf(`'self' 'nonce-${nonce}'`));
    sendPage(response, referencePage(nonce, assets));
  });
  router.get('/docs/admin', (_request, response) => {
    sendPage(response.set('Content-Security-Policy', explorerPolicy), explorerPage(options, assets));
  });
  router.get('/openapi.yaml', (_request, response) => sendContract(response, options.documentFile, 'application/yaml'));
  router.get('/schema.graphql', (_request, response) =>
    sendContract(response, options.sdlFile, 'application/graphql; charset=utf-8'),
  );
  for (const { url, content } of Object.values(assets)) {
    router.get(url, (_request, response) => {
      response.set('Cache-Control', 'public, max-age=31536000, immutable').type(path.extname(url)).send(content);
    });
  }
  return router;
}

/**
 * Somebody on the internet can let a name of theirs lead to 127.0.0.1 (DNS rebinding), but no address, no name without a dot
 * and no name below `localhost`. To a browser, a web page of such a name is of this origin.
 */
const refuseForeignHosts: RequestHandler = (request, response, next) => {
  if (isOwnHost(request.headers.host ?? '')) return next();
  response.status(421).json({ detail: 'Open these pages by an IP address or by localhost.' });
};

function isOwnHost(host: string): boolean {
  const name = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/.exec(host)?.slice(1).find(Boolean)?.toLowerCase() ?? '';
  return isIP(name) !== 0 || /^[^.]+$/.test(name) || name.endsWith('.localhost');
}

/**
 * The explorer's requests go to the APIs in this process, so the public listener needs no CORS for them. No proxy stands
 * before the private listener, so a request's own X-Forwarded-For is dropped.
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
