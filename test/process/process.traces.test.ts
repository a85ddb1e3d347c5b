// The built process and a collector: nothing is loaded without one, and SIGTERM sends what is left.
import { startCollector, type Collector } from '../support/collector.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { askAdmin } from '../support/adminClient.ts';
import { clearAway, newDataDir, startService, type RunningService } from '../support/serviceProcess.ts';

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
