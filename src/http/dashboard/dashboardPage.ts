// The dashboard's built files, read once and kept in memory: the page for each of its paths, and what it loads.
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import type { WrittenResponse } from '../responses.ts';

/** Null: the path is none of the page's. */
export type DashboardPage = (request: IncomingMessage, path: string) => WrittenResponse | null;

interface BuiltFile {
  headers: Record<string, string>;
  plain: Buffer;
  zipped: Buffer;
}

/** Nothing from another host, nothing inline but styles with the nonce of this response, and no frame around it. */
const policy = (nonce: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self'; connect-src 'self'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** In the built page, where the nonce of the response belongs. */
const nonceMark = 'nonce="of-the-response"';

const always = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer', Vary: 'Accept-Encoding' };

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** `folder` is what `npm run build:dashboard` wrote. Throws where it is missing. */
export async function loadDashboard(folder: string): Promise<DashboardPage> {
  const page = await readFile(path.join(folder, 'index.html'), 'utf8').catch((error: unknown) => {
    throw new Error('The dashboard is not built. Run npm run build, or set DASHBOARD=off.', { cause: error });
  });
  if (!page.includes(nonceMark)) throw new Error(`the built page has no place for its nonce: ${nonceMark}`);
  const assets = new Map<string, BuiltFile>();
  for (const name of await readdir(path.join(folder, 'assets'))) {
    // The name of each of them contains a hash of its text.
    const cached = { 'Cache-Control': 'public, max-age=31536000, immutable' };
    assets.set(`/admin/assets/${name}`, await readBuilt(path.join(folder, 'assets', name), cached));
  }
  return ({ method, headers }, asked) => {
    if (method !== 'GET') return null;
    const file = isScreen(asked) ? withNonce(page) : assets.get(asked);
    return file ? responseOf(file, /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''))) : null;
  };
}

async function readBuilt(file: string, headers: Record<string, string>): Promise<BuiltFile> {
  const plain = await readFile(file);
  const type = types[path.extname(file)];
  if (type === undefined) throw new Error(`the dashboard's build has a file of an unknown type: ${file}`);
  return { headers: { 'Content-Type': type, ...always, ...headers }, plain, zipped: await promisify(gzip)(plain) };
}

function withNonce(page: string): BuiltFile {
  const nonce = randomBytes(16).toString('base64');
  const plain = Buffer.from(page.replace(nonceMark, `nonce="${nonce}"`));
  const headers = {
    'Content-Type': types['.html']!,
    ...always,
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy(nonce),
    'Cross-Origin-Opener-Policy': 'same-origin',
  };
  return { headers, plain, zipped: gzipSync(plain) };
}

function responseOf({ headers, plain, zipped }: BuiltFile, zip: boolean): WrittenResponse {
  const body = zip ? zipped : plain;
  const length = { 'Content-Length': body.length, ...(zip && { 'Content-Encoding': 'gzip' }) };
  return { status: 200, headers: { ...headers, ...length }, pieces: [body] };
}

// The paths of the dashboard's screens below /admin, which all show its one page. A test compares them with the page's routes.

/** A part that begins with `:` is any text without a slash. */
export const screenPaths = [
  '/',
  '/login',
  '/signup',
  '/forgot-password',
  '/reset-password',
  '/accept-invitation',
  '/confirm-email',
  '/applications',
  '/team',
  '/service-tokens',
  '/audit',
  '/organization',
  '/profile',
  '/apps/:applicationId/first-event',
  '/apps/:applicationId/live',
  '/apps/:applicationId/overview',
  '/apps/:applicationId/events',
  '/apps/:applicationId/funnel',
  '/apps/:applicationId/retention',
  '/apps/:applicationId/campaigns',
  '/apps/:applicationId/campaigns/new',
  '/apps/:applicationId/campaigns/:id',
  '/apps/:applicationId/campaigns/:id/edit',
  '/apps/:applicationId/devices',
  '/apps/:applicationId/device',
  '/apps/:applicationId/revenue',
  '/apps/:applicationId/subscriptions',
  '/apps/:applicationId/transactions',
  '/apps/:applicationId/entitlements',
  '/apps/:applicationId/keys',
  '/apps/:applicationId/store',
  '/apps/:applicationId/webhooks',
  '/apps/:applicationId/settings',
  // Addresses of before, which the page leads to the screens of today.
  '/apps/:applicationId/campaign',
  '/apps/:applicationId/campaign-editor',
];

const patterns = screenPaths.map((path) => new RegExp(`^/admin${path.replace(/:\w+/g, '[^/]+')}$`));

export function isScreen(path: string): boolean {
  return patterns.some((pattern) => pattern.test(path));
}
