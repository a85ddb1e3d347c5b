// Without a database: what a trace says of statements, which traces a sampler keeps, and a collector that is away.
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import { SamplingDecision, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';
import { namesOf } from '../../src/platform/database/statementNames.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { samplerOf } from '../../src/platform/observability/tracing/sdkSettings.ts';
import { createTracing } from '../../src/platform/observability/tracing/sdkTracing.ts';
import { traced } from '../../src/platform/observability/tracing/tracing.ts';
import { watchedExporter } from '../../src/platform/observability/tracing/watchedExporter.ts';
import { startCollector } from '../support/collector.ts';

const silent = createLog('silent');

describe('the name of a statement', () => {
  test.each([
    ['its comment', '/* sessions: findDevices */ SELECT 1', 'sessions: findDevices', undefined],
    [
      'its verb and table',
      `SELECT id FROM "public"."users" WHERE a = 'x''y'`,
      'SELECT users',
      `SELECT id FROM "public"."users" WHERE a = '?'`,
    ],
    ['its verb', 'COMMIT', 'COMMIT', 'COMMIT'],
    [
      'its verb and table',
      { text: 'insert into jobs values ($1)', values: ['secret'] },
      'INSERT jobs',
      'insert into jobs values ($1)',
    ],
    ['its name', { name: 'begin', text: '' }, 'begin', undefined],
  ])('is %s: %j', (...[, statement, summary, text]) => {
    expect(namesOf(statement)).toEqual({ summary, text, count: 1 });
  });

  test('of a pipeline is that of all its statements', () => {
    const parts = [{ name: 'begin', text: 'BEGIN' }, { text: '/* a: b */ COPY x' }, {}];
    expect(namesOf({ parts })).toEqual({ summary: 'BEGIN; a: b; ?', text: undefined, count: 3 });
  });

  test('is missing where the driver runs something else', () => {
    expect([namesOf({}), namesOf(undefined), namesOf(7)]).toEqual([null, null, null]);
  });

  test('has a text of at most 500 characters', () => {
    expect(namesOf(`SELECT ${'1, '.repeat(1_000)}`)!.text).toHaveLength(500);
  });
});

test.each([
  ['always_on', 1, 1],
  ['parentbased_always_on', 1, 1],
  ['always_off', 1, 0],
  ['parentbased_always_off', 1, 0],
  ['traceidratio', 0, 0],
  ['traceidratio', 1, 1],
  ['parentbased_traceidratio', 0, 0],
  ['parentbased_traceidratio', 1, 1],
] as const)('%s of %d keeps %d of the traces that begin here', (sampler, ratio, kept) => {
  const result = samplerOf({ sampler, ratio }).shouldSample(ROOT_CONTEXT, 'a'.repeat(32), 'x', SpanKind.SERVER, {}, []);
  expect(result.decision).toBe(kept === 1 ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD);
});

describe('a collector that is away', () => {
  const spans = (count: number) => Array.from({ length: count }, () => ({}) as ReadableSpan);

  test('costs a line at once and one a minute, and one when it is back', () => {
    let [failing, now] = [true, 0];
    const lines: Record<string, unknown>[] = [];
    const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
    const counts = { ended: 0, sent: 0, lost: 0 };
    const exporter = {
      export: (_, done) =>
        done(
          failing ? { code: ExportResultCode.FAILED, error: new Error('gone') } : { code: ExportResultCode.SUCCESS },
        ),
      shutdown: async () => undefined,
    } satisfies SpanExporter as SpanExporter;
    const watched = watchedExporter(exporter, { log, counts, now: () => now });
    const results: number[] = [];
    for (; now < 150_000; now += 5_000) watched.export(spans(2), ({ code }) => results.push(code));
    expect(new Set(results)).toEqual(new Set([ExportResultCode.FAILED]));
    expect(lines.map(({ lost }) => lost)).toEqual([2, 26, 50]);
    failing = false;
    watched.export(spans(3), () => undefined);
    watched.export(spans(3), () => undefined);
    expect(lines.slice(3).map(({ level, lost }) => [level, lost])).toEqual([['info', 60]]);
    expect(counts).toEqual({ ended: 0, sent: 6, lost: 60 });
  });

  test.each(['hang', 'refuse'] as const)('never holds up the work or the end of the process: %s', async (how) => {
    const collector = await startCollector();
    collector.behave(how);
    const tracing = createTracing(collector.settings(), silent);
    let turned = false;
    setImmediate(() => (turned = true));
    const start = { name: 'work', kind: 'internal', parent: null } as const;
    for (let index = 0; index < 5_000; index++) await traced(tracing, start, async () => undefined);
    expect(tracing.counts().ended).toBe(5_000);
    // Whoever waits for the network gives the event loop a turn.
    expect(turned).toBe(false);
    const begun = performance.now();
    await tracing.close();
    // Three seconds for the end, and some for a busy machine. The exporter alone would take ten.
    expect(performance.now() - begun).toBeLessThan(9_000);
    await collector.stop();
  });
});

test('after the end of its span, work and its timers belong to none', async () => {
  const collector = await startCollector();
  const tracing = createTracing(collector.settings(), silent);
  const seen: unknown[] = [];
  let later: Promise<void> | undefined;
  tracing.begin({ name: 'work', kind: 'internal', parent: null }, (span) => {
    seen.push(tracing.current() === span, tracing.lineFields()?.trace_id.length);
    later = pause(20).then(() => void seen.push(tracing.current(), tracing.lineFields()));
    tracing.outside(() => seen.push(tracing.current()));
    span.end();
    span.end(new Error('too late'));
  });
  await later;
  expect(seen).toEqual([true, 32, null, null, undefined]);
  await tracing.close();
  expect(collector.spans()).toMatchObject([{ name: 'work', failed: false }]);
  await collector.stop();
});
