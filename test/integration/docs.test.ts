// What the private listener serves for readers: types, caching and protection of each page, links that lead somewhere, requests handed on.
import { readFileSync } from 'node:fs';
import supertest from 'supertest';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { productionEnv, startOpsService, type OpsService } from '../support/opsService.ts';

const pages = ['/docs', '/docs/public', '/docs/admin'];
let development: OpsService;
let production: OpsService;
beforeAll(async () => {
  development = await startOpsService({});
  production = await startOpsService(productionEnv);
}, 60_000);
afterAll(async () => {
  await development.stop();
  await production.stop();
});

const services = [
  ['development', () => development],
  ['production', () => production],
] as const;

describe.each(services)('in %s', (_name, service) => {
  test.each([
    ...pages.map((path) => [path, 'text/html; charset=utf-8']),
    ['/openapi.yaml', 'application/yaml'],
    ['/schema.graphql', 'application/graphql; charset=utf-8'],
  ])('%s is %s, and nothing but its own host may be asked', async (path, type) => {
    const { status, headers } = await fetch(service().url + path);
    expect([status, headers.get('content-type')]).toEqual([200, type]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    const policy = headers.get('content-security-policy')!;
    expect(policy).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
  });

  test.each(pages)('every address on %s is of this host and leads somewhere', async (path) => {
    const html = await (await fetch(service().url + path)).text();
    const addresses = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address!);
    expect(addresses.length).toBeGreaterThan(5);
    for (const address of addresses) {
      const [target = '', fragment = ''] = address.split('#');
      if (target === '') expect(html).toContain(`id="${fragment}"`);
      else expect([address, (await fetch(new URL(target, service().url))).status]).toEqual([address, 200]);
      expect(new URL(address, service().url).origin).toBe(service().url);
    }
  });
});

test('the contracts are the files of the project, and are not sent again while they are unchanged', async () => {
  for (const name of ['openapi.yaml', 'schema.graphql']) {
    const first = await fetch(`${production.url}/${name}`);
    expect(await first.text()).toBe(readFileSync(projectFile(name), 'utf8'));
    expect(first.headers.get('cache-control')).toBe('no-cache');
    // Node's own fetch adds a Cache-Control that forbids the short answer.
    const again = supertest(production.url).get(`/${name}`);
    await again.set('If-Modified-Since', first.headers.get('last-modified')!).expect(304);
  }
});

test('scripts and styles are kept for ever, pages never', async () => {
  const page = await fetch(`${production.url}/docs/public`);
  expect(page.headers.get('cache-control')).toBe('no-store');
  const [, script] = /<script src="([^"]*swagger-ui-bundle\.js)"/.exec(await page.text())!;
  expect(script).toMatch(/^\/docs\/assets\/[0-9a-f]{16}\//);
  const { headers } = await fetch(production.url + script!);
  expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
});

test('the overview repeats what the contracts say, and outside production a command that is answered 200', async () => {
  const html = await (await fetch(`${development.url}/docs`)).text();
  for (const part of ['reportStoreTransactions', 'Retry-After', 'ILLEGAL_TRANSITION', 'pub_', 'sec_']) {
    expect(html).toContain(part);
  }
  expect(html).toContain(`curl -i ${development.publicUrl}/api/v1/session`);
});

test('in production no page holds a key, a password or the demo', async () => {
  for (const path of pages) {
    const html = await (await fetch(production.url + path)).text();
    expect(html).not.toMatch(/(pub|sec)_[0-9A-Za-z]|demo@|demo-password/);
  }
});

test('a request below /docs/try gets what the public listener would answer, and of headers only the policy of this listener more', async () => {
  const keyless = '/api/v1/campaigns?deviceId=d';
  for (const path of [keyless, '/nowhere', '/api/v1/session/']) {
    const direct = await fetch(production.publicUrl + path);
    const handedOn = await fetch(`${production.url}/docs/try${path}`);
    expect([handedOn.status, await handedOn.json()]).toEqual([direct.status, await direct.json()]);
    const own = [...handedOn.headers.keys()].filter((name) => name !== 'content-security-policy');
    expect(own).toEqual([...direct.headers.keys()].filter((name) => name !== 'content-security-policy'));
  }
  const preflight = { Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'POST' };
  const refused = await fetch(`${production.url}/docs/try/admin/graphql/`, { method: 'OPTIONS', headers: preflight });
  expect(refused.status).toBe(404);
  expect(refused.headers.get('access-control-allow-origin')).toBeNull();
});

test('the admin API answers there too, without introspection in production', async () => {
  const ask = async ({ url }: OpsService, query: string) => {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ query });
    return (await fetch(`${url}/docs/try/admin/graphql/`, { method: 'POST', headers, body })).json();
  };
  expect(await ask(production, '{ id }')).toEqual({ data: { id: null } });
  expect(await ask(production, '{ __schema { queryType { name } } }')).toMatchObject({ errors: [expect.anything()] });
});

test('an address that a request claims is not believed: its attempts are still counted as one client', async () => {
  const proxied = await startOpsService({ ...productionEnv, TRUSTED_PROXIES: '1' });
  try {
    // Of the limited mutations the one that hashes no password.
    const attempt = async (index: number) => {
      const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': `10.0.${index}.1` };
      const body = JSON.stringify({ query: `mutation { refreshToken(token: "wrong-${index}") { token } }` });
      const answer = await fetch(`${proxied.url}/docs/try/admin/graphql/`, { method: 'POST', headers, body });
      return ((await answer.json()) as { errors: { extensions: { code: string } }[] }).errors[0]!.extensions.code;
    };
    const codes = await Promise.all(Array.from({ length: 101 }, (_, index) => attempt(index)));
    expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(1);
  } finally {
    await proxied.stop();
  }
});

test('a process that only runs jobs has no pages', async () => {
  const worker = await startOpsService({ ...productionEnv, ROLE: 'worker' });
  try {
    for (const path of [...pages, '/openapi.yaml', '/docs/try/api/v1/campaigns'])
      expect((await fetch(worker.url + path)).status).toBe(404);
    expect((await fetch(`${worker.url}/livez`)).status).toBe(200);
  } finally {
    await worker.stop();
  }
});
