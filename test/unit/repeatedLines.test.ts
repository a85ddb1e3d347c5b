// A failure that repeats has its first line, one line a minute with the count, and one at its end.
import { jest } from '@jest/globals';
import { createLog } from '../../src/platform/observability/log.ts';
import { mostKinds } from '../../src/platform/observability/repeatedLines.ts';

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

test('lookups that the store does not answer are one failure by cause, and parked deliveries are each their own', () => {
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

test('a line that speaks for others counts as many', () => {
  const log = logAt('info');
  for (const others of [0, 7, 9]) log.warn({ operation: 'getCampaigns', others }, 'a response took too long');
  jest.advanceTimersByTime(60_000);
  expect(told()).toEqual([['a response took too long'], ['a failure repeats', 'a response took too long', 18]]);
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
