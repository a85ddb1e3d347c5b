// The logged form of an error: its place and kind, and none of the values.
import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import { type ReadableSpan, SamplingDecision, type SpanExporter } from '@opentelemetry/sdk-trace';
import { namesOf, traced } from '../../src/platform/observability/tracing/tracing.ts';
import { createLog, loggedError, mostKinds, standardOutput } from '../../src/platform/observability/log.ts';
import { createTracing, samplerOf, watchedExporter } from '../../src/platform/observability/tracing/sdkTracing.ts';
import { startCollector } from '../support/collector.ts';

describe('loggedError', () => {
  const withMessage = (message: string) => loggedError(new Error(message)).message;

  test('the kind, the message, the code, the place and the causes', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const logged = loggedError(new TypeError('cannot', { cause }));
    expect(logged).toEqual({
      type: 'TypeError',
      message: 'cannot',
      stack: expect.stringMatching(/^\s+at .*observability\.test\.ts/) as string,
      cause: {
        type: 'Error',
        message: 'connect ECONNREFUSED',
        code: 'ECONNREFUSED',
        stack: expect.any(String) as string,
      },
    });
  });

  test('no other member, whatever it is called', () => {
    const error = Object.assign(new Error('null value in column "name" of relation "users"'), {
      code: '23502',
      detail: 'Failing row contains (hunter2).',
      where: "unnamed portal parameter $1 = 'hunter2'",
      parameters: ['hunter2'],
      input: { password: 'hunter2' },
    });
    const logged = loggedError(error);
    expect(JSON.stringify(logged)).not.toContain('hunter2');
    expect(logged).toMatchObject({ code: '23502', message: 'null value in column "name" of relation "users"' });
  });

  test.each([
    ['invalid input syntax for type uuid: "hunter"', 'invalid input syntax for type uuid: "…"'],
    ['value "99999999999" is out of range for type integer', 'value "…" is out of range for type integer'],
    [
      'new row violates "a_check"\nFailing row contains (1, hunter).',
      'new row violates "a_check"\nFailing row contains …',
    ],
    ['Key (email)=(a@b) already exists.', 'Key (email)= …'],
    [
      '\nInvalid `prisma.user.create()` invocation:\n\n{ data: { name: "hunter" } }\n\nArgument `email` is missing.',
      'Argument `email` is missing.',
    ],
  ])('a message without its values: %j', (message, kept) => {
    expect(withMessage(message)).toBe(kept);
  });

  test('the stack has no message of its own', () => {
    const error = new Error('first\nsecond "HUNTER"');
    expect(loggedError(error).stack).not.toMatch(/second|HUNTER/);
  });

  test('what is no error says nothing of itself', () => {
    for (const thrown of ['hunter2', { password: 'hunter2' }, null, undefined]) {
      expect(JSON.stringify(loggedError(thrown))).not.toContain('hunter2');
    }
  });

  test('a circle of causes ends', () => {
    const error = new Error('one');
    error.cause = error;
    expect(JSON.stringify(loggedError(error)).length).toBeLessThan(20_000);
  });
});

// A failure that repeats has its first line, one line a minute with the count, and one at its end.
describe('repeatedLines', () => {
  type Line = Record<string, unknown>;
  let lines: Line[] = [];
  const logAt = (level: string) =>
    createLog(level, { write: (line: string) => void lines.push(JSON.parse(line) as Line) });
  const refused = (port = 5432) =>
    Object.assign(new Error(`connect ECONNREFUSED 127.0.0.1:${port}`), { code: 'ECONNREFUSED' });
  const told = () => lines.map(({ msg, of, times }) => [msg, of, times].filter((word) => word !== undefined));

  beforeEach(() => {
    lines = [];
    jest.useFakeTimers();
  });
  afterEach(() => jest.useRealTimers());

  test('an outage of five minutes has a line at its begin, one a minute and one at its end', () => {
    const log = logAt('info');
    for (let second = 0; second < 300; second += 1) {
      for (let upload = 0; upload < 8; upload += 1) {
        const error = upload % 2 === 0 ? refused() : new Error('Connection terminated unexpectedly');
        log.warn({ err: error, operation: 'reportSessions', requestId: `r-${second}-${upload}` }, 'unavailable');
      }
      jest.advanceTimersByTime(1_000);
    }
    jest.advanceTimersByTime(600_000);
    expect(told()).toEqual([
      ['unavailable'],
      ['a failure repeats', 'unavailable', 479],
      ...Array.from({ length: 4 }, () => ['a failure repeats', 'unavailable', 480]),
      ['a failure no longer repeats', 'unavailable', 2_399],
    ]);
    expect(lines[0]).toMatchObject({ level: 'warn', requestId: 'r-0-0', err: { code: 'ECONNREFUSED' } });
    expect(lines[1]).toMatchObject({
      ...{ level: 'warn', operation: 'reportSessions', seconds: 60 },
      last: { requestId: 'r-59-7' },
    });
    expect(JSON.stringify(lines.slice(1))).not.toContain('stack');
  });

  test('what fails once, or again after more than a minute, has its own line and no other', () => {
    const log = logAt('info');
    for (const after of [0, 61_000, 130_000]) {
      jest.advanceTimersByTime(after);
      log.warn({ err: refused(), task: 'ensureEventPartitions' }, 'a housekeeping task failed');
    }
    jest.advanceTimersByTime(600_000);
    expect(told()).toEqual(Array.from({ length: 3 }, () => ['a housekeeping task failed']));
  });

  test('another operation, task or error is another failure', () => {
    const log = logAt('info');
    log.error(
      { err: new TypeError('x is not a function'), operation: 'getCampaigns', requestId: 'a' },
      'a request failed',
    );
    log.error(
      { err: new TypeError('x is not a function'), operation: 'getCampaigns', requestId: 'b' },
      'a request failed',
    );
    log.error(
      { err: new TypeError('y is not a function'), operation: 'getCampaigns', requestId: 'c' },
      'a request failed',
    );
    log.error({ err: new TypeError('x is not a function'), operation: 'reportSessions' }, 'a request failed');
    log.warn({ err: refused(), task: 'deleteOldIssues' }, 'a housekeeping task failed');
    log.warn({ err: refused(6432), task: 'deleteOldChanges' }, 'a housekeeping task failed');
    expect(lines.map(({ requestId, task }) => requestId ?? task)).toEqual([
      ...['a', 'c', undefined],
      ...['deleteOldIssues', 'deleteOldChanges'],
    ]);
  });

  test('lookups without a response of the store are one failure by cause, and parked deliveries are each their own', () => {
    const log = logAt('info');
    for (const transactionId of ['1', '2', '3'])
      log.warn({ applicationId: 'a', transactionId, cause: 'timeout' }, 'the store gave no answer that counts');
    for (const deliveryId of ['1', '2', '3']) log.warn({ webhookId: 'w', deliveryId }, 'a webhook delivery was parked');
    jest.advanceTimersByTime(60_000);
    expect(told()).toEqual([
      ['the store gave no answer that counts'],
      ...Array.from({ length: 3 }, () => ['a webhook delivery was parked']),
      ['a failure repeats', 'the store gave no answer that counts', 2],
    ]);
    expect(lines.at(-1)!['last']).toEqual({ transactionId: '3', cause: 'timeout' });
  });

  test('texts that vary without end fill no log', () => {
    const log = logAt('info');
    for (let number = 0; number < 1_000; number += 1)
      log.error({ err: new Error(`a fault of ${'x'.repeat(number)}`) }, 'a request failed');
    expect(lines).toHaveLength(mostKinds + 1);
    jest.advanceTimersByTime(60_000);
    expect(told().slice(mostKinds + 1)).toEqual([['a failure repeats', 'a request failed', 1_000 - mostKinds - 1]]);
  });

  test('attempts refused for a limit and requests without a bearer are counted, although their lines are at info', () => {
    const log = logAt('info');
    for (const outcome of ['RATE_LIMITED', 'UNAUTHENTICATED', 'INVALID_CREDENTIALS'])
      for (let number = 0; number < 5; number += 1) log.info({ operation: 'login', outcome }, 'authentication');
    expect(lines).toHaveLength(7);
    jest.advanceTimersByTime(60_000);
    expect(told().slice(7)).toEqual([
      ['a failure repeats', 'authentication', 4],
      ['a failure repeats', 'authentication', 4],
    ]);
  });

  test('the level debug has every line, and lines at info are each their own', () => {
    for (const level of ['debug', 'trace'])
      for (let number = 0; number < 5; number += 1) logAt(level).warn({ err: refused() }, 'unavailable');
    const log = logAt('info');
    for (let number = 0; number < 5; number += 1) log.info({ operation: 'login', outcome: 'OK' }, 'authentication');
    expect(lines).toHaveLength(15);
  });
});

// A blocked standard output loses log lines but never stops the service.
describe('standardOutput', () => {
  /** Accepts `room` bytes, then fails as the operating system does. */
  function outlet() {
    const taken: Buffer[] = [];
    const state = { room: Infinity, code: 'ENOSPC' };
    const write = (bytes: Buffer): number => {
      if (state.room === 0) throw Object.assign(new Error('no room'), { code: state.code });
      const part = bytes.subarray(0, Math.min(bytes.length, state.room));
      state.room -= part.length;
      taken.push(Buffer.from(part));
      return part.length;
    };
    return { state, sink: standardOutput(write), text: () => Buffer.concat(taken).toString() };
  }

  test.each(['ENOSPC', 'EPIPE', 'EAGAIN'])(
    '%s costs lines, and the next one that gets through says how many',
    (code) => {
      const { state, sink, text } = outlet();
      state.code = code;
      sink.write('{"one":1}\n');
      state.room = 0;
      sink.write('{"two":2}\n');
      sink.write('{"three":3}\n');
      state.room = Infinity;
      sink.write('{"four":4}\n');
      const lines = text().split('\n');
      expect(lines.map((line) => line && (JSON.parse(line) as object))).toEqual([
        { one: 1 },
        { level: 'warn', time: expect.any(String) as string, lines: 2, msg: 'log lines were lost' },
        { four: 4 },
        '',
      ]);
    },
  );

  test('a line that was taken in part ends before the next one begins', () => {
    const { state, sink, text } = outlet();
    state.room = 4;
    sink.write('{"one":1}\n');
    state.room = Infinity;
    sink.write('{"two":2}\n');
    const [torn, loss, two] = text().split('\n');
    expect([torn, JSON.parse(loss!), two]).toEqual(['{"on', expect.objectContaining({ lines: 1 }), '{"two":2}']);
  });

  test('a reader that is a little behind costs no line', () => {
    const taken: string[] = [];
    let behind = 3;
    const sink = standardOutput((bytes) => {
      if (behind-- > 0) throw Object.assign(new Error('try again'), { code: 'EAGAIN' });
      taken.push(bytes.toString());
      return bytes.length;
    });
    sink.write('{"one":1}\n');
    expect(taken).toEqual(['{"one":1}\n']);
  });

  test('characters of several bytes are whole where the outlet takes them in pieces', () => {
    const taken: Buffer[] = [];
    const sink = standardOutput((bytes) => {
      taken.push(Buffer.from(bytes.subarray(0, 1)));
      return 1;
    });
    sink.write('🚀é\n');
    expect(Buffer.concat(taken).toString()).toBe('🚀é\n');
  });
});

// Without a database: what a trace says of statements, which traces a sampler keeps, and a collector that is away.
describe('tracing', () => {
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
    const result = samplerOf({ sampler, ratio }).shouldSample(
      ROOT_CONTEXT,
      'a'.repeat(32),
      'x',
      SpanKind.SERVER,
      {},
      [],
    );
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
});
