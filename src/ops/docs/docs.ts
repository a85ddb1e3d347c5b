// The documentation pages of the private listener: both contracts, requests to try, and nothing from another host.
import express, { type RequestHandler, type Response, type Router } from 'express';
import { loadAssets, type Assets } from './assets.ts';
import { buildPage, type BuildPageOptions } from './buildPage.ts';
import type { DocsOptions } from './docsOptions.ts';
import { explorerPage } from './explorerPage.ts';
import { refuseForeignHosts } from './ownHost.ts';
import { overviewPage } from './overviewPage.ts';
import { searchEntries, type SearchEntry } from './pageText.ts';
import { referencePage } from './referencePage.ts';
import { loadSamples } from './samples.ts';

/** Inline scripts are not allowed, and inline styles on one page only. */
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
const contentSecurityPolicy = policyOf("'self'");
/** GraphiQL sizes its panes by inline styles. */
const explorerPolicy = policyOf("'self' 'unsafe-inline'");

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
export async function createDocs(given: DocsOptions): Promise<Router> {
  const assets = await loadAssets();
  const options = { ...given, samples: await loadSamples() };
  const router = express.Router();
  router.use(refuseForeignHosts);
  // First, without the headers of pages: the public listener's handlers write its responses, with the policy that
  // opsApi.ts sets.
  router.use('/docs/try', tryIt(options));
  router.use(securityHeaders);
  for (const { path, render } of textPages) {
    router.get(path, (_request, response) => sendPage(response, render(options, assets)));
  }
  router.get('/docs/admin', (_request, response) => {
    sendPage(response.set('Content-Security-Policy', explorerPolicy), explorerPage(options, assets));
  });
  router.get('/docs/search.json', (_request, response) => {
    response.set('Cache-Control', 'no-store').json(searchIndex(options, assets));
  });
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

const textPages = [
  { path: '/docs', page: 'Overview', render: overviewPage },
  { path: '/docs/build-an-sdk', page: 'Build an SDK', render: buildPage },
  { path: '/docs/public', page: 'Public API', render: referencePage },
];

function searchIndex(options: BuildPageOptions, assets: Assets): SearchEntry[] {
  return textPages.flatMap(({ path, page, render }) => searchEntries({ page, path, html: render(options, assets) }));
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
