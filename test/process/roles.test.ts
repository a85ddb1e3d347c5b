// The built service in processes of one role each: what each responses, and that two of them make one service.
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import {
  CreateApiKeyDocument,
  DeviceSessionsDocument,
  EditApplicationDocument,
  EditProjectDocument,
  SignupDocument,
} from '../../generated/dashboard/graphql.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { askAdmin } from '../support/adminClient.ts';
import { type Collector, startCollector } from '../support/collector.ts';
import { createContractClient } from '../support/contractClient.ts';
import { dashboardClient } from '../support/dashboardClient.ts';
import { createDurableDatabase } from '../support/durablePostgres.ts';
import { testKey } from '../support/keys.ts';
import { readMetrics, valueOf } from '../support/metricsText.ts';
import { productionEnv } from '../support/productionEnv.ts';
import { loadPublicDocument } from '../support/publicDocument.ts';
import { clearAway, newDataDir, runBuilt, type RunningService, startService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { createApplication } from '../support/testWorkspace.ts';
import { aDevice, anEvent, aReport, aSession, json, signedHeaders } from '../support/uploads.ts';

describe('process.roles', () => {
  let database: TestDatabase;
  let ingest: RunningService;
  let admin: RunningService;
  let both: RunningService;
  beforeAll(async () => {
    database = await createTestDatabase();
    const env = { DATABASE_URL: database.url, DATA_DIR: newDataDir(), SESSION_SIGNATURE: 'required' };
    const start = (ROLE: string) => startService({ ...env, ROLE });
    [ingest, admin, both] = [await start('ingest'), await start('admin'), await start('api')];
  });
  afterAll(async () => {
    await clearAway();
    await database.drop();
  });

  interface Served {
    status: number;
    body: string;
  }

  interface Asked {
    method?: string;
    body?: string | undefined;
  }

  async function ask({ url }: RunningService, path: string, { method = 'GET', body }: Asked = {}): Promise<Served> {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(url + path, { method, ...(body !== undefined && { headers, body }) });
    return { status: response.status, body: await response.text() };
  }

  /** What every path gets that nobody serves. */
  const unrouted = { status: 404, body: '{"detail":"Not Found"}' };

  async function publicOperations(): Promise<[method: string, path: string][]> {
    const operations = (await loadPublicDocument()).router.getOperations();
    return operations.map(({ method, path }) => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'none')]);
  }

  const servesPublic = async (service: RunningService): Promise<boolean[]> => {
    const responses: boolean[] = [];
    for (const [method, path] of await publicOperations()) {
      const result = await ask(service, path, { method, body: method === 'GET' ? undefined : '{}' });
      responses.push(result.body !== unrouted.body);
    }
    return responses;
  };

  const adminRequest = (service: RunningService) =>
    ask(service, '/admin/graphql/', { method: 'POST', body: JSON.stringify({ query: '{ countries { code } }' }) });

  test('ROLE=ingest serves every path of openapi.yaml, and none of the admin API or its dashboard', async () => {
    const responses = await servesPublic(ingest);
    expect(responses.length).toBeGreaterThan(4);
    expect(new Set(responses)).toEqual(new Set([true]));
    for (const path of ['/admin/', '/admin/index.html', '/admin/graphql/']) {
      expect([path, await ask(ingest, path)]).toEqual([path, unrouted]);
    }
    expect(await adminRequest(ingest)).toEqual(unrouted);
  });

  test('ROLE=admin serves the admin API and its dashboard, and no path of openapi.yaml', async () => {
    expect(new Set(await servesPublic(admin))).toEqual(new Set([false]));
    expect((await adminRequest(admin)).status).toBe(200);
    expect(await ask(admin, '/admin/')).toMatchObject({ status: 200, body: expect.stringMatching(/<html/i) as string });
  });

  test('ROLE=api serves both, and warns that it goes', async () => {
    expect(new Set(await servesPublic(both))).toEqual(new Set([true]));
    expect((await adminRequest(both)).status).toBe(200);
    expect(both.stderr()).toMatch(/^Warning: ROLE=api goes with the next release\. Use ROLE=ingest and ROLE=admin/m);
    for (const service of [ingest, admin]) expect(service.stderr()).not.toContain('Warning: ROLE');
  });

  test('a key made in the admin process opens the ingest process, whose uploads the admin process shows', async () => {
    const input = {
      email: 'olga@example.com',
      password: 'a fine phrase of the owner',
      organization: 'Acme',
      name: 'O',
    };
    const { signup } = await dashboardClient(admin.url).ask(SignupDocument, { input });
    const owner = dashboardClient(admin.url).as(signup.token);
    const { projectEdit } = await owner.ask(EditProjectDocument, { input: { name: 'Games' } });
    const { applicationEdit } = await owner.ask(EditApplicationDocument, {
      input: { projectId: projectEdit.id, name: 'Runner', bundleId: 'com.example.runner', platform: 'iOS' },
    });
    const { id: applicationId } = applicationEdit;
    const { apiKeyCreate: key } = await owner.ask(CreateApiKeyDocument, { applicationId });
    const device = aDevice();
    const body = json(aReport({ device, sessions: [aSession({ events: [anEvent(), anEvent()] })] }));
    const client = await createContractClient(ingest.url);
    expect((await client.send('reportSessions', signedHeaders(key, body), body)).status).toBe(200);
    const { device: shown } = await owner.ask(DeviceSessionsDocument, { applicationId, id: device.id });
    expect(shown!.sessions.map(({ events }) => events.length)).toEqual([2]);
  });

  test.each([
    ['ingest', () => ingest],
    ['admin', () => admin],
  ])('ROLE=%s is ready, says its role and ends in peace', async (role, service) => {
    expect((await fetch(`${service().opsUrl}/readyz`)).status).toBe(200);
    expect(service().stdout()).toMatch(new RegExp(`"role":"${role}".*"msg":"listening"`));
    expect(await service().end('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});

// Two built processes in production share the quotas of an application: what a public key alone can store on their database.
describe('process.quotas', () => {
  const mebi = 1_048_576;
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDurableDatabase();
  });
  afterAll(async () => {
    await clearAway();
    await database.drop();
  });

  /** 240 kB that gzip makes 400 bytes of. */
  function attribution(): Buffer {
    const text = { text: randomUUID() + 'x'.repeat(60_000) };
    const attribution = { provider_a: text, provider_b: text, store_search_ads: text };
    const body = { device: { id: randomUUID() }, system: { os_version: '1' }, attribution, custom: text };
    return gzipSync(JSON.stringify(body));
  }

  test('a flood at both stores one quota and a little more, and signed uploads go on', async () => {
    const env = { ...productionEnv, DATABASE_URL: database.url, HOST: '127.0.0.1', QUOTA_MIB_PER_HOUR: '8' };
    expect(await runBuilt('src/programs/migrate.js', env).ended).toMatchObject({ code: 0 });
    const { key, id } = await createApplication(database.prisma, createEncryption(testKey('encryption')));
    const services = await Promise.all([startService(env), startService(env)]);
    const post = (url: string, headers: Record<string, string>, body: Buffer) =>
      fetch(url, { method: 'POST', headers, body: new Uint8Array(body) });
    const headers = { 'X-Api-Key': key.public, 'Content-Encoding': 'gzip' };
    const flood = async (service: RunningService): Promise<void> => {
      for (let sent = 0, refused = 0; refused < 5 && sent < 60; sent += 1)
        if ((await post(`${service.url}/api/v1/attribution`, headers, attribution())).status === 503) refused += 1;
    };
    await Promise.all(services.flatMap((service) => [flood(service), flood(service), flood(service)]));

    const { rows } = await database.pool.query<{ bytes: string }>(
      'SELECT sum(length(provider_a::text)) * 4 AS bytes FROM attribution_reports WHERE application_id = $1',
      [id],
    );
    expect(Number(rows[0]!.bytes)).toBeGreaterThan(7 * mebi);
    // Beside a 64th for each process, six bodies may be under way while a process settles.
    expect(Number(rows[0]!.bytes)).toBeLessThan(8 * mebi * (1 + 2 / 64) + 6 * 241_000);
    for (const service of services) {
      const body = Buffer.from(JSON.stringify(aReport({ device: aDevice() })));
      expect((await post(`${service.url}/api/v1/session`, signedHeaders(key, body), body)).status).toBe(200);
      const metrics = readMetrics(await (await fetch(`${service.opsUrl}/metrics`)).text());
      const labels = { operation: 'reportAttribution', unit: 'bytes' };
      expect(valueOf(metrics, 'ingest_quota_refusals_total', labels)).toBeGreaterThan(4);
    }
  });
});

// The built process and a collector: nothing is loaded without one, and SIGTERM sends what is left.
describe('process.traces', () => {
  let database: TestDatabase;
  let collector: Collector;
  beforeAll(async () => {
    database = await createTestDatabase();
    collector = await startCollector();
  });
  afterAll(async () => {
    await clearAway();
    await collector.stop();
    await database.drop();
  });

  const traceId = 'a1'.repeat(16);

  /** Node names each module that it loads on standard error. */
  async function start(env: Record<string, string> = {}): Promise<RunningService> {
    return startService({ DATABASE_URL: database.url, DATA_DIR: newDataDir(), NODE_DEBUG: 'module,esm', ...env });
  }

  const ask = ({ url }: RunningService) =>
    askAdmin(url, { query: '{ me { id } }', headers: { traceparent: `00-${traceId}-${'b2'.repeat(8)}-01` } });
  const loadedSdk = ({ stderr }: RunningService): boolean =>
    /@opentelemetry\/(sdk-trace|exporter-trace-otlp-http)/.test(stderr());
  const lineOfRefusal = ({ stdout }: RunningService): Record<string, unknown> =>
    JSON.parse(
      stdout()
        .split('\n')
        .find((line) => line.includes('access refused'))!,
    ) as Record<string, unknown>;

  test('without a collector no SDK is loaded, and lines have no trace id', async () => {
    const service = await start();
    expect((await ask(service)).status).toBe(401);
    expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(loadedSdk(service)).toBe(false);
    expect(lineOfRefusal(service)).not.toHaveProperty('trace_id');
    expect(service.stderr()).toContain('pino');
  });

  test('with one, lines have the trace id, and spans reach it before the process ends', async () => {
    const service = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-token=collectors',
    });
    expect((await ask(service)).status).toBe(401);
    expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(loadedSdk(service)).toBe(true);
    expect(lineOfRefusal(service)).toMatchObject({ trace_id: traceId });
    const spans = collector.spans();
    expect(spans.find(({ name }) => name === 'POST /admin/graphql/')).toMatchObject({
      traceId,
      parentSpanId: 'b2'.repeat(8),
    });
    expect(spans.some(({ name }) => name.startsWith('housekeeping '))).toBe(true);
    expect(collector.text()).toContain('x-token collectors');
    expect(collector.resource()).toMatchObject({ 'service.name': 'campaign-analytics-backend' });
  });

  test('a collector that never responds holds the end up by three seconds at most, and costs few lines', async () => {
    collector.behave('hang');
    const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    expect((await ask(service)).status).toBe(401);
    const begun = performance.now();
    expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(performance.now() - begun).toBeLessThan(20_000);
    expect(service.stdout().match(/spans could not be sent/g)?.length ?? 0).toBeLessThan(2);
  });
});
