// The bytes of a body while they arrive: some bodies are refused before their end, and their memory is released.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { BodyBudget } from '../../src/http/bodyBudget.ts';
import { ClientGone, readBytes, readEncoding, wireLimit } from '../../src/http/requestBody.ts';
import type { AppError } from '../../src/platform/errors.ts';

const limit = 3 * wireLimit;
/** True if the budget has its whole room for another body. */
function isEmpty(budget: BodyBudget): boolean {
  let refused = false;
  const place = budget.enter(() => (refused = true));
  place.grow(limit);
  place.leave();
  return !refused && budget.whole.bodies === 0;
}

function begin(budget: BodyBudget, headers: Record<string, string> = {}) {
  const request = Object.assign(new PassThrough(), { headers });
  const response = { shouldKeepAlive: true };
  const reading = readBytes(request as unknown as IncomingMessage, response as ServerResponse, {
    budget,
    limit: wireLimit,
  });
  const outcome = reading.then(
    ({ bytes, leave }) => ({ length: bytes.length, leave }),
    (error: AppError | ClientGone) => (error instanceof ClientGone ? 'the client has gone' : error.code),
  );
  return { request, response, outcome };
}

test('a body has its place until it is no longer needed', async () => {
  const budget = new BodyBudget(limit);
  const { request, outcome } = begin(budget);
  request.write(Buffer.alloc(wireLimit - 1));
  request.end(Buffer.alloc(1));
  const read = (await outcome) as { length: number; leave: () => void };
  expect([read.length, budget.whole]).toEqual([wireLimit, { bodies: 1, bytes: wireLimit }]);
  expect(isEmpty(budget)).toBe(false);
  read.leave();
  expect(isEmpty(budget)).toBe(true);
});

test('one that is announced as too large is refused before a byte of it is read', async () => {
  const budget = new BodyBudget(limit);
  const { request, outcome } = begin(budget, { 'content-length': String(wireLimit + 1) });
  expect(await outcome).toBe('too_large');
  expect([request.listenerCount('data'), isEmpty(budget)]).toEqual([0, true]);
});

test('one that turns out too large is refused before its end', async () => {
  const budget = new BodyBudget(limit);
  const { request, response, outcome } = begin(budget, { 'content-length': String(wireLimit) });
  request.write(Buffer.alloc(wireLimit));
  request.write(Buffer.alloc(1));
  expect([await outcome, isEmpty(budget)]).toEqual(['too_large', true]);
  // The budget no longer asks this body to make room: its connection stays open.
  expect(response.shouldKeepAlive).toBe(true);
});

test.each(['close', 'error'])('one whose client goes away leaves its place: %s', async (event) => {
  const budget = new BodyBudget(limit);
  const { request, response, outcome } = begin(budget);
  request.write(Buffer.alloc(10));
  request.emit(event, new Error('reset'));
  expect([await outcome, isEmpty(budget)]).toEqual(['the client has gone', true]);
  expect(response.shouldKeepAlive).toBe(true);
});

test('the rest of one that finds no room stays with its sender, whose connection ends with the answer', async () => {
  const budget = new BodyBudget(limit);
  const bodies = [1, 2, 3, 4].map(() => begin(budget));
  for (const { request } of bodies) request.write(Buffer.alloc(wireLimit));
  const [oldest, ...others] = bodies as [(typeof bodies)[0], ...typeof bodies];
  expect(await oldest.outcome).toBe('unavailable');
  expect([oldest.request.isPaused(), oldest.response.shouldKeepAlive]).toEqual([true, false]);
  for (const { request, response } of others)
    expect([request.isPaused(), response.shouldKeepAlive]).toEqual([false, true]);
});

test('a media type of more than 256 characters is refused, whatever stands in them', () => {
  const accept = (length: number) => readEncoding({ headers: { 'content-type': 'application/json'.padEnd(length) } });
  expect(accept(256)).toBe('identity');
  expect(() => accept(257)).toThrow('unsupported_media_type');
});

test.each([
  ['GZIP', 'gzip'],
  [' Deflate ', 'deflate'],
  ['Identity', 'identity'],
  ['', 'identity'],
  ['x-gzip', 'gzip'],
  ['X-GZip', 'gzip'],
  ['identity, gzip', 'gzip'],
  ['gzip,identity', 'gzip'],
  ['deflate,', 'deflate'],
  ['identity, Identity', 'identity'],
])('a coding has its meaning in any letters (RFC 9110, 8.4.1): %j', (sent, encoding) => {
  expect(readEncoding({ headers: { 'content-encoding': sent } })).toBe(encoding);
});

test.each(['gzip, gzip', 'gzip, deflate', 'br', 'gzip;q=1', 'constructor', '*', 'x-deflate', 'compress'])(
  'two codings, or another one, are refused: %j',
  (sent) => {
    expect(() => readEncoding({ headers: { 'content-encoding': sent } })).toThrow('unsupported_media_type');
  },
);
