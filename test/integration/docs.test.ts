// The pages of the private listener: type, caching and protection of each page, working links, forwarded requests.
import { readFileSync } from 'node:fs';
import type { OpenAPIV3 } from 'openapi-types';
import supertest from 'supertest';
import { parse } from 'yaml';
import { headingAddresses } from '../../src/ops/docs/contractPages.ts';
import { escapeHtml, renderInline } from '../../src/ops/docs/page.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { anchorOf, headingsOf } from '../support/citations.ts';
import { startOpsService, type OpsService } from '../support/opsService.ts';
import { productionEnv } from '../support/productionEnv.ts';

const pages = ['/docs', '/docs/build-an-sdk', '/docs/public', '/docs/admin'];
let development: OpsService;
beforeAll(async () => {
  development = await startOpsService({ SESSION_SIGNATURE: 'required' });
});
afterAll(() => development.stop());

test.each([
  ...pages.map((path) => [path, 'text/html; charset=utf-8']),
  ['/docs/public/section/backoff', 'text/html; charset=utf-8'],
  ['/docs/public.json', 'application/json; charset=utf-8'],
  ['/openapi.yaml', 'application/yaml'],
  ['/schema.graphql', 'application/graphql; charset=utf-8'],
])('%s is %s, and nothing but its own host may be asked', async (path, type) => {
  const { status, headers } = await fetch(development.url + path);
  expect([status, headers.get('content-type')]).toEqual([200, type]);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  const policy = headers.get('content-security-policy')!;
  expect(policy).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
  // GraphiQL alone writes inline styles.
  expect(policy.includes('unsafe-inline')).toBe(path === '/docs/admin');
  // Redoc's styles carry the nonce of the page.
  expect(/ 'nonce-[\w-]{22}'/.test(policy)).toBe(/^\/docs\/public(\/|$)/.test(path));
  expect(policy).toMatch(/; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/);
});

test('the nonce for styles is another one in each response, and the page has it', async () => {
  const responses = await Promise.all([1, 2].map(() => fetch(`${development.url}/docs/public`)));
  const nonces = responses.map(({ headers }) => /'nonce-([^']+)'/.exec(headers.get('content-security-policy')!)![1]!);
  expect(nonces[0]).not.toBe(nonces[1]);
  expect(await responses[0]!.text()).toContain(
    `<meta property="csp-nonce" content="${nonces[0]}" nonce="${nonces[0]}">`,
  );
});

test('text on a page stays text, in a cell as in an attribute', () => {
  expect(escapeHtml(`<b title="a" class='b'>&amp;</b>`)).toBe(
    '&lt;b title=&quot;a&quot; class=&#39;b&#39;&gt;&amp;amp;&lt;/b&gt;',
  );
  expect(renderInline('**a** and `<b>`')).toBe('<strong>a</strong> and <code>&lt;b&gt;</code>');
});

test.each(pages)('every address on %s is of this host and leads somewhere', async (path) => {
  const addresses = await addressesOn(path);
  expect(addresses.length).toBeGreaterThan(5);
  for (const address of addresses) {
    const { origin, pathname, hash } = new URL(address, development.url + path);
    expect(origin).toBe(development.url);
    const answer = await fetch(origin + pathname);
    expect([address, answer.status]).toEqual([address, 200]);
    // Redoc draws the headings of the reference in the browser: test/browser/docs.test.ts looks for each.
    if (pathname.startsWith('/docs/public/')) expect(headings).toContain(pathname + hash);
    else if (hash !== '') expect(await answer.text()).toContain(`id="${hash.slice(1)}"`);
  }
});

const contract = parse(readFileSync(projectFile('openapi.yaml'), 'utf8')) as OpenAPIV3.Document;
const headings = [...headingAddresses(contract).values()];

async function addressesOn(path: string): Promise<string[]> {
  const html = await (await fetch(development.url + path)).text();
  return [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address!);
}

test('the contracts are the files of the project, and are not sent again while they are unchanged', async () => {
  for (const name of ['openapi.yaml', 'schema.graphql']) {
    const first = await fetch(`${development.url}/${name}`);
    expect(await first.text()).toBe(readFileSync(projectFile(name), 'utf8'));
    expect(first.headers.get('cache-control')).toBe('no-cache');
    // Node's own fetch adds a Cache-Control that prevents a 304.
    const again = supertest(development.url).get(`/${name}`);
    await again.set('If-Modified-Since', first.headers.get('last-modified')!).expect(304);
  }
});

test('scripts and styles are kept for ever, pages never', async () => {
  const page = await fetch(`${development.url}/docs/public`);
  expect(page.headers.get('cache-control')).toBe('no-store');
  const [, script] = /<script src="([^"]*reference\.js)"/.exec(await page.text())!;
  expect(script).toMatch(/^\/docs\/assets\/[0-9a-f]{16}\//);
  const { headers } = await fetch(development.url + script!);
  expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
});

test('the overview has the codes of schema.graphql, the keys of the demo, and a command', async () => {
  const html = await (await fetch(`${development.url}/docs`)).text();
  for (const part of ['ILLEGAL_TRANSITION', 'pub_', 'sec_']) expect(html).toContain(part);
  expect(html).toContain(`curl -i ${development.publicUrl}/api/v1/session`);
});

test('the reference reads openapi.yaml with the URL of this process, and with links to the addresses of its headings', async () => {
  const { paths, info, servers, components } = await referenceDocument();
  expect([servers![0]!.url, info.version]).toEqual([development.publicUrl, contract.info.version]);
  expect(components).toEqual(contract.components);
  expect(Object.keys(paths)).toEqual(Object.keys(contract.paths));
  expect(info.description).not.toContain('](#');
  const links = [...info.description!.matchAll(/\]\((\/docs\/public[^)]*)\)/g)].map(([, address]) => address!);
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((address) => !headings.includes(address))).toEqual([]);
  const wanted = headingsOf('openapi.yaml').filter((heading) => !heading.startsWith('The public'));
  expect(wanted.length).toBeGreaterThan(40);
  const anchors = [...headingAddresses(contract).keys()];
  expect(wanted.map(anchorOf).filter((anchor) => !anchors.includes(anchor))).toEqual([]);
});

test('every command names the base URL of the public listener, and the response to it is 200', async () => {
  const { paths } = await referenceDocument();
  const operations = Object.values(paths).flatMap((item) => Object.values(item!) as Record<string, unknown>[]);
  const commands = operations.flatMap((each) =>
    (each['x-codeSamples'] as { source: string }[]).map(({ source }) => source),
  );
  expect(commands).toHaveLength(5);
  for (const command of commands) {
    const [, url = ''] = /^curl -i '?([^' ]+)/.exec(command)!;
    expect(url.startsWith(`${development.publicUrl}/api/v1/`)).toBe(true);
    // The store did not sign the example of its notification.
    if (url.includes('/store/notifications/')) continue;
    const headers = [...command.matchAll(/-H '([^:]+): ([^']*)'/g)].map(([, name, value]) => [name!, value!] as const);
    const [, body] = /-d '(.*)'$/s.exec(command) ?? [];
    const request = body === undefined ? {} : { method: 'POST', body };
    const { status } = await fetch(url, { headers: Object.fromEntries(headers), ...request });
    expect([url, status]).toEqual([url, 200]);
  }
});

async function referenceDocument(): Promise<OpenAPIV3.Document> {
  return (await (await fetch(`${development.url}/docs/public.json`)).json()) as OpenAPIV3.Document;
}

test('"Build an SDK in this order" has at most 300 words beside its code, and links to the reference', async () => {
  const html = await (await fetch(`${development.url}/docs/build-an-sdk`)).text();
  const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(html)!;
  const words = textOf(main.replaceAll(/<pre.*?<\/pre>/gs, ' '))
    .split(/\s+/)
    .filter(Boolean);
  expect(words.length).toBeGreaterThan(100);
  expect(words.length).toBeLessThanOrEqual(300);
  expect(main.match(/href="\/docs\/public\//g)!.length).toBeGreaterThan(10);
  expect(main).toContain('&quot;appInstallVersionNormalized&quot;: 3002001');
});

/** The text that a reader sees. */
function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

test('a request below /docs/try gets what the public listener would answer, and of headers only the policy of this listener more', async () => {
  const keyless = '/api/v1/campaigns?deviceId=d';
  for (const path of [keyless, '/nowhere', '/api/v1/session/']) {
    const direct = await fetch(development.publicUrl + path);
    const handedOn = await fetch(`${development.url}/docs/try${path}`);
    expect([handedOn.status, await handedOn.json()]).toEqual([direct.status, await direct.json()]);
    const own = [...handedOn.headers.keys()].filter((name) => name !== 'content-security-policy');
    expect(own).toEqual([...direct.headers.keys()].filter((name) => name !== 'content-security-policy'));
  }
  const preflight = { Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'POST' };
  const refused = await fetch(`${development.url}/docs/try/admin/graphql/`, { method: 'OPTIONS', headers: preflight });
  expect(refused.status).toBe(404);
  expect(refused.headers.get('access-control-allow-origin')).toBeNull();
});

test.each(['rebound.example', 'rebound.example:8081', '127.0.0.1.rebound.example', 'localhost.rebound.example', ''])(
  'a page that another name leads to gets nothing of the pages, their keys and their APIs: %s',
  async (host) => {
    const get = (path: string) => supertest(development.url).get(path).set('Host', host);
    for (const path of [...pages, '/schema.graphql', '/docs/try/api/v1/campaigns']) await get(path).expect(421);
    await get('/livez').expect(200);
  },
);

test.each(['localhost', 'LOCALHOST:1', 'app.localhost', '127.0.0.1', '[::1]:8081', 'service:8081'])(
  'the pages open by %s',
  async (host) => {
    await supertest(development.url).get('/docs').set('Host', host).expect(200);
  },
);

test('the admin API answers there too', async () => {
  const ask = async (query: string) => {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ query });
    return (await fetch(`${development.url}/docs/try/admin/graphql/`, { method: 'POST', headers, body })).json();
  };
  expect(await ask('{ id }')).toEqual({ data: { id: null } });
});

test('an address that a request claims is not believed: its attempts are still counted as one client', async () => {
  const proxied = await startOpsService({ TRUSTED_PROXIES: '1' });
  try {
    // Of the limited mutations, this one hashes no password.
    const attempt = async (index: number) => {
      const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': `10.0.${index}.1` };
      const body = JSON.stringify({ query: `mutation { refreshToken(token: "wrong-${index}") { token } }` });
      const answer = await fetch(`${proxied.url}/docs/try/admin/graphql/`, { method: 'POST', headers, body });
      return ((await answer.json()) as { errors: { extensions: { code: string } }[] }).errors[0]!.extensions.code;
    };
    // One after the other: of a hundred at once some would wait too long on a busy machine (schema.graphql, "Load").
    for (let index = 0; index < 100; index++) expect(await attempt(index)).toBe('INVALID_TOKEN');
    expect(await attempt(100)).toBe('RATE_LIMITED');
  } finally {
    await proxied.stop();
  }
});

test.each([
  ['production', productionEnv],
  ['production that only answers requests', { ...productionEnv, ROLE: 'api' }],
  ['a process that only runs jobs', { ROLE: 'worker' }],
])('%s has no pages, and nothing that they would offer', async (_name, env) => {
  const service = await startOpsService(env);
  try {
    const offered = await Promise.all(pages.map(addressesOn));
    const addresses = new Set([...pages, ...offered.flat().map((address) => address.split('#')[0]!)]);
    for (const served of ['', '/', '/livez', '/readyz', '/metrics']) addresses.delete(served);
    expect(addresses).toContain('/schema.graphql');
    for (const path of [
      ...addresses,
      '/docs/',
      '/docs/public.json',
      '/docs/try',
      '/docs/try/api/v1/campaigns',
      '/docs/try/admin/graphql/',
    ]) {
      const answer = await fetch(service.url + path);
      expect([path, answer.status, await answer.json()]).toEqual([path, 404, { detail: 'Not Found' }]);
    }
    const posted = await fetch(`${service.url}/docs/try/admin/graphql/`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"query":"{ id }"}',
    });
    expect(posted.status).toBe(404);
    expect((await fetch(`${service.url}/livez`)).status).toBe(200);
  } finally {
    await service.stop();
  }
});
