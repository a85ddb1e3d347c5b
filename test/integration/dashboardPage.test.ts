// The dashboard below /admin/, and the journey of one whose documents are generated.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as documents from '../../generated/dashboard/graphql.ts';
import { loadDashboard, screenPaths } from '../../src/http/dashboard/dashboardPage.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { testDashboard } from '../support/dashboardJourney.ts';
import { startTestService, type TestService } from '../support/testService.ts';

// The service's own dashboard below /admin/: which requests it responds to, and with which headers.
describe('dashboardPage', () => {
  const pageWith = (nonce: string) =>
    `<!doctype html><meta property="csp-nonce" nonce="${nonce}" /><title>The page</title>`;
  const script = `console.log('${'the script '.repeat(100)}')`;
  let folder: string;
  let service: TestService;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'dashboard-'));
    await mkdir(path.join(folder, 'assets'));
    await writeFile(path.join(folder, 'index.html'), pageWith('of-the-response'));
    await writeFile(path.join(folder, 'assets', 'index-3f2a.js'), script);
    service = await startTestService({ dashboard: await loadDashboard(folder) });
  });
  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
  });

  const ask = (asked: string, options?: RequestInit) => fetch(`${service.url}${asked}`, options);
  const examples = screenPaths.map((each) => `/admin${each.replace(/:\w+/g, '018f3d6e-7c1a-7b3e-9a51-2f0c6d1e4b90')}`);

  test.each([...examples, '/admin/reset-password?token=abc'])('%s shows the page', async (asked) => {
    const response = await ask(asked);
    const policy = response.headers.get('content-security-policy') ?? '';
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    expect(Buffer.from(nonce, 'base64')).toHaveLength(16);
    expect([response.status, await response.text()]).toEqual([200, pageWith(nonce)]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy':
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self'; connect-src 'self'; ` +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{16,64}$/);
  });

  test('every response of the page has a nonce of its own', async () => {
    const policies = await Promise.all(
      ['/admin/login', '/admin/login'].map(async (asked) => (await ask(asked)).headers.get('content-security-policy')),
    );
    expect(new Set(policies).size).toBe(2);
  });

  test.each(['gzip', 'identity'])('a file whose name contains a hash is kept for ever: %s', async (encoding) => {
    const response = await ask('/admin/assets/index-3f2a.js', { headers: { 'Accept-Encoding': encoding } });
    expect([response.status, await response.text()]).toEqual([200, script]);
    expect(response.headers.get('content-encoding')).toBe(encoding === 'gzip' ? 'gzip' : null);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
  });

  test.each([
    ...['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'].map((method) => [method, '/admin/']),
    ['HEAD', '/admin/assets/index-3f2a.js'],
    ...[
      '/',
      '/admin',
      '/admin/login/',
      '/admin/index.html',
      '/admin/nowhere',
      '/admin/apps/1',
      '/admin/apps//live',
    ].map((asked) => ['GET', asked]),
    ...['/admin/assets/', '/admin/assets/other.js', '/admin/assets/%2e%2e/index.html', '/admin/graphql/'].map(
      (asked) => ['GET', asked],
    ),
  ])('%s %s stays 404', async (method, asked) => {
    const response = await ask(asked, { method });
    expect(response.status).toBe(404);
    expect(await response.text()).toBe(method === 'HEAD' ? '' : '{"detail":"Not Found"}');
  });

  test('without a dashboard every path of it is 404', async () => {
    await using off = await startTestService();
    for (const asked of examples) expect((await fetch(`${off.url}${asked}`)).status).toBe(404);
  });

  test('a folder without a build is refused with what to do', async () => {
    await expect(loadDashboard(path.join(folder, 'nothing'))).rejects.toThrow('npm run build');
    const other = path.join(folder, 'other');
    await mkdir(other);
    await writeFile(path.join(other, 'index.html'), '<!doctype html>');
    await expect(loadDashboard(other)).rejects.toThrow('no place for its nonce');
  });

  test("the paths are those of the page's routes", async () => {
    const routes = await readFile(projectFile('src', 'dashboard', 'routes.tsx'), 'utf8');
    const paths = [...routes.matchAll(/^ {4}path: '([^']+)'/gm)].map(([, each]) => each!.replace(/\$(\w+)/g, ':$1'));
    expect(paths.length).toBeGreaterThan(5);
    expect([...screenPaths].sort()).toEqual(paths.sort());
  });
});

// The journey of a dashboard whose documents codegen's client preset generates, as in generated/dashboard.
describe('dashboardJourney', () => {
  testDashboard(async () => documents);
});
