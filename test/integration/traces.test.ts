// Traces of the running service, as a stand-in for a collector receives them.
import { randomBytes } from 'node:crypto';
import { startHousekeeping } from '../../src/jobs/housekeeping.ts';
import { tracedTasks } from '../../src/jobs/tasks.ts';
import { createTracing } from '../../src/platform/observability/tracing/sdkTracing.ts';
import type { Tracing } from '../../src/platform/observability/tracing/tracing.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { closeTracing, startCollector, type CollectedSpan, type Collector } from '../support/collector.ts';
import { eventually } from '../support/eventually.ts';
import { readMetrics, valueOf } from '../support/metricsText.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf } from '../support/testUsers.ts';
import { aReport, aSession, anEvent, json, signedHeaders } from '../support/uploads.ts';

let collector: Collector;
let tracing: Tracing;
let service: TestService;
let lines: string[];

async function start(settings: Parameters<Collector['settings']>[0] = {}): Promise<void> {
  collector = await startCollector();
  lines = [];
  const log = createLog('trace', { write: (line) => void lines.push(line) }, () => tracing.lineFields());
  tracing = createTracing(collector.settings(settings), log);
  service = await startTestService({ tracing, log });
}
afterEach(async () => {
  await tracing.close();
  await service.stop();
  await collector.stop();
});

const upload = (headers: Record<string, string> = {}, report = aReport()) => {
  const body = json(report);
  return fetch(`${service.url}/api/v1/session`, {
    method: 'POST',
    headers: { ...signedHeaders(service.application.key, body), ...headers },
    body,
  });
};

/** A span ends with its response, which is after the client has it: the service ends with the last of them. */
async function received(): Promise<CollectedSpan[]> {
  await service.stop();
  await closeTracing(tracing);
  return collector.spans();
}

const named = (spans: CollectedSpan[], name: string) => spans.filter((span) => span.name === name);
const childrenOf = (spans: CollectedSpan[], { spanId, traceId }: CollectedSpan) =>
  spans.filter((span) => span.parentSpanId === spanId && span.traceId === traceId);
const headerOf = (traceId: string, flags = '01') => `00-${traceId}-${randomBytes(8).toString('hex')}-${flags}`;
const newTraceId = () => randomBytes(16).toString('hex');

test('an upload is a span of the trace that the client began, with the batch and its statements below it', async () => {
  await start();
  const traceId = newTraceId();
  const report = aReport({ sessions: [aSession({ events: [anEvent(), anEvent()] })] });
  expect((await upload({ traceparent: headerOf(traceId) }, report)).status).toBe(200);
  const spans = await received();
  const [request] = named(spans, 'POST /api/v1/session');
  expect(request).toMatchObject({ traceId, kind: 2, failed: false });
  expect(request!.attributes).toEqual({
    'http.request.method': 'POST',
    'http.route': '/api/v1/session',
    'http.response.status_code': 200,
    operation: 'reportSessions',
    'request.id': expect.any(String) as string,
    'application.id': service.application.id,
  });
  const [batch] = named(spans, 'store batch');
  expect(batch).toMatchObject({ traceId, parentSpanId: request!.spanId });
  expect(batch!.attributes).toEqual({ 'batch.uploads': 1, 'batch.events': 2 });
  expect(batch!.links).toEqual([{ traceId, spanId: request!.spanId }]);
  const statements = childrenOf(spans, batch!);
  expect(statements[0]).toMatchObject({ kind: 3, failed: false });
  expect(statements.map(({ name }) => name).join('; ')).toMatch(/^BEGIN; .*sessions: copySessions.*; COMMIT$/);
  expect(statements[0]!.attributes).toMatchObject({ 'db.system.name': 'postgresql' });
  expect(collector.resource()).toMatchObject({
    'service.name': 'tried',
    'service.version': expect.any(String) as string,
  });
});

test('a batch is linked to every request that it carries, and they to it', async () => {
  await start();
  const traceIds = Array.from({ length: 20 }, newTraceId);
  const responses = await Promise.all(traceIds.map((traceId) => upload({ traceparent: headerOf(traceId) })));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  const spans = await received();
  const requests = named(spans, 'POST /api/v1/session');
  const batches = named(spans, 'store batch');
  expect(new Set(requests.map(({ traceId }) => traceId))).toEqual(new Set(traceIds));
  expect(batches.length).toBeLessThan(20);
  const linked = batches.flatMap(({ links }) => links.map(({ spanId }) => spanId));
  expect(linked.sort()).toEqual(requests.map(({ spanId }) => spanId).sort());
  for (const { spanId, traceId, links } of requests) {
    const batch = batches.find((each) => each.links.some((link) => link.spanId === spanId))!;
    const leads = batch.parentSpanId === spanId || links.some((link) => link.spanId === batch.spanId);
    expect([traceId, leads]).toEqual([traceId, true]);
  }
});

test('an admin request names its fields, and its statements are below it', async () => {
  await start();
  const user = await newUser(service, await organizationOf(service, service.application.id));
  await user.ask('query Mine { me { email } applications { id name } }');
  await user.ask('mutation { applicationDelete(id: "0192f0c4-1111-7000-8000-000000000001") }');
  const spans = await received();
  const [first, second] = named(spans, 'POST /admin/graphql/');
  expect(first!.attributes).toMatchObject({
    'graphql.operation.type': 'query',
    'graphql.root_fields': ['me', 'applications'],
    'http.response.status_code': 200,
  });
  expect(childrenOf(spans, first!).length).toBeGreaterThan(2);
  for (const { kind, attributes } of childrenOf(spans, first!))
    expect([kind, attributes['db.system.name']]).toEqual([3, 'postgresql']);
  expect(second!.attributes).toMatchObject({ 'graphql.error_codes': ['NOT_FOUND'] });
  expect(second!.traceId).not.toBe(first!.traceId);
});

test('a question to the engine of analytics is a span of its request', async () => {
  await start();
  const user = await newUser(service, await organizationOf(service, service.application.id));
  const query = 'query Names($id: UUID!) { eventNames(applicationId: $id) { asOf } }';
  expect((await user.ask(query, { id: service.application.id })).errors).toEqual([]);
  const spans = await received();
  const [request] = named(spans, 'POST /admin/graphql/');
  expect(childrenOf(spans, request!)).toContainEqual(
    expect.objectContaining({ name: 'question eventNames', failed: false }),
  );
});

test('the log lines of a request carry its trace id, also where the sampler leaves it out', async () => {
  await start();
  const ids = [newTraceId(), newTraceId()];
  service.deps.storeTransactions = () => Promise.reject(new Error('broken'));
  for (const [index, flags] of (['01', '00'] as const).entries()) {
    const response = await fetch(`${service.url}/api/v1/tm/store`, {
      method: 'POST',
      headers: { 'X-Api-Key': service.application.key.public, traceparent: headerOf(ids[index]!, flags) },
      body: json({ device: { id: 'device-1' }, transactions: [{ id: '1000' }] }),
    });
    expect([response.status, await response.text()]).toEqual([500, expect.any(String)]);
  }
  const failures = lines.filter((line) => line.includes('a request failed'));
  expect(failures.map((line) => (JSON.parse(line) as { trace_id: string }).trace_id)).toEqual(ids);
  const [request, ...others] = named(await received(), 'POST /api/v1/tm/store');
  expect(others).toEqual([]);
  expect(request).toMatchObject({ traceId: ids[0], failed: true });
  expect(request!.attributes).toMatchObject({ 'error.type': '500', 'http.response.status_code': 500 });
});

test('a statement that fails names its SQLSTATE and no text of the error', async () => {
  await start();
  await tracing.begin({ name: 'work', kind: 'internal', parent: null }, async (span) => {
    await expect(service.database.pool.query(`/* tests: fail */ SELECT 'Secret7'::int`)).rejects.toThrow('Secret7');
    await expect(service.database.pool.query(`SELECT 'Secret8' FROM nowhere`)).rejects.toThrow();
    span.end();
  });
  const [first, second] = (await received()).filter(({ name }) => name !== 'work');
  expect(first).toMatchObject({ name: 'tests: fail', failed: true, attributes: { 'error.type': '22P02' } });
  expect(second).toMatchObject({ name: 'SELECT nowhere', failed: true, attributes: { 'error.type': '42P01' } });
  expect(second!.attributes['db.query.text']).toBe(`SELECT '?' FROM nowhere`);
  expect(collector.text()).not.toMatch(/Secret/);
});

test('a statement that waits for a connection belongs to the request that asked for it', async () => {
  await start();
  const { pool } = service.database;
  const ask = (name: string) =>
    tracing.begin({ name, kind: 'internal', parent: null }, async (span) => {
      await pool.query(`/* tests: ${name} */ SELECT pg_sleep(0.01)`);
      span.end();
    });
  await Promise.all(Array.from({ length: 30 }, (_, index) => ask(`asks ${index}`)));
  const spans = await received();
  for (const span of spans.filter(({ name }) => name.startsWith('asks')))
    expect(childrenOf(spans, span).map(({ name }) => name)).toEqual([`tests: ${span.name}`]);
  expect(spans).toHaveLength(60);
});

test('jobs and housekeeping are traces of their own, and what the process asks by itself is none', async () => {
  await start();
  const { pool } = service.database;
  const tasks = {
    sendPasswordMail: () => pool.query('/* tests: job */ SELECT 1').then(() => Promise.reject(new Error('x'))),
  };
  const helpers = { job: { attempts: 3, max_attempts: 25 } } as never;
  await expect(tracedTasks(tasks, tracing)['sendPasswordMail']!(undefined as never, helpers)).rejects.toThrow('x');
  await pool.query('/* tests: nobodys */ SELECT 1');
  const { metrics, log } = service.deps;
  const stop = startHousekeeping({ pool, log, metrics, tracing, runsJobs: false, eventRetentionDays: undefined });
  // Every task begins at once, and is over when none of them holds a connection or waits for one.
  await eventually(
    async () => pool.waitingCount + pool.totalCount - pool.idleCount,
    (busy) => busy === 0,
  );
  stop();
  const spans = await received();
  const [job] = named(spans, 'job sendPasswordMail');
  expect(job).toMatchObject({
    kind: 5,
    failed: true,
    attributes: { 'job.task': 'sendPasswordMail', 'job.attempt': 3 },
  });
  expect(childrenOf(spans, job!).map(({ name }) => name)).toEqual(['tests: job']);
  const [kept] = named(spans, 'housekeeping deleteExpiredNonces');
  expect(childrenOf(spans, kept!).length).toBeGreaterThan(0);
  expect(named(spans, 'tests: nobodys')).toEqual([]);
});

test('a sampler by ratio keeps whole traces: no batch and no statement without a request', async () => {
  await start({ sampler: 'parentbased_traceidratio', ratio: 0 });
  expect((await upload()).status).toBe(200);
  const traceId = newTraceId();
  expect((await upload({ traceparent: headerOf(traceId) })).status).toBe(200);
  const spans = await received();
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  expect(named(spans, 'store batch')).toHaveLength(1);
});

test.each([
  '',
  'nonsense',
  `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`,
  `00-${'a'.repeat(32)}-${'1'.repeat(16)}-01, x`,
])('a traceparent that is not valid begins a trace of the service: %s', async (traceparent) => {
  await start();
  expect((await upload({ traceparent, tracestate: 'vendor=Secret9' })).status).toBe(200);
  const [request] = named(await received(), 'POST /api/v1/session');
  expect(request!.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(request!.traceId).not.toMatch(/^(0{32}|a{32})$/);
  expect(request!.parentSpanId ?? '').toBe('');
  expect(collector.text()).not.toContain('Secret9');
});

test('the metrics count spans', async () => {
  await start();
  await upload();
  const spans = await received();
  const families = readMetrics(await service.deps.metrics.registry.metrics());
  const count = (outcome: string) => valueOf(families, 'trace_spans_total', { outcome });
  expect([count('ended'), count('sent'), count('lost')]).toEqual([spans.length, spans.length, 0]);
});
