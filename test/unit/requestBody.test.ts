// The bytes of a body while they arrive: some bodies are refused before their end, and their memory is released.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { Ajv } from 'ajv';
import {
  BodyBudget,
  ClientGone,
  readBody,
  readBytes,
  readEncoding,
  type SentBody,
  wireLimit,
} from '../../src/http/requestBody.ts';
import { compileBodyCheck, loadPublicContract } from '../../src/http/publicContract.ts';
import { operations } from '../../src/http/publicOperations.ts';
import { createBodyShare } from '../../src/http/publicApi.ts';
import { type AppError, isAppError, unavailable } from '../../src/platform/errors.ts';
import type { Schema } from '../../src/platform/json/schema.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { createLimiter } from '../../src/platform/concurrencyLimiter.ts';
import { gate } from '../support/memoryStore.ts';
import { anEvent, aReport, aSession, json } from '../support/uploads.ts';

describe('requestBody', () => {
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

  test('the rest of one that finds no room stays with its sender, whose connection ends with the response', async () => {
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
});

// The memory that bodies share: which request must leave when it is full, and that the memory is released.
describe('bodyBudget', () => {
  function fill(limit: number) {
    const budget = new BodyBudget(limit);
    const refused: string[] = [];
    const enter = (name: string) => budget.enter(({ code }: AppError) => void refused.push(`${name}: ${code}`));
    return { budget, refused, enter };
  }

  test('the body that has been on its way longest makes room, once', () => {
    const { refused, enter } = fill(100);
    const [old, young] = [enter('old'), enter('young')];
    old.grow(60);
    young.grow(40);
    expect(refused).toEqual([]);
    young.grow(1);
    expect(refused).toEqual(['old: unavailable']);
    old.leave();
    young.grow(59);
    expect(refused).toEqual(['old: unavailable']);
  });

  test('bodies that have not begun make no room, however old they are, and as many go as have to', () => {
    const { refused, enter } = fill(100);
    enter('not begun');
    for (const name of ['one', 'two', 'three']) enter(name).grow(30);
    enter('last').grow(65);
    expect(refused).toEqual(['one: unavailable', 'two: unavailable']);
  });

  test('a body that has come whole is kept until its request is over, and nothing else is refused for it', () => {
    const { refused, enter } = fill(100);
    const whole = enter('whole');
    whole.grow(90);
    whole.complete();
    const next = enter('next');
    next.grow(20);
    expect(refused).toEqual(['next: unavailable']);
    whole.leave();
    whole.leave();
    enter('later').grow(100);
    expect(refused).toEqual(['next: unavailable']);
  });

  test('what has come whole is told until its request is over', () => {
    const { budget, enter } = fill(100);
    const [whole, halfSent] = [enter('whole'), enter('half sent')];
    whole.grow(60);
    halfSent.grow(30);
    expect(budget.whole).toEqual({ bodies: 0, bytes: 0 });
    whole.complete();
    expect(budget.whole).toEqual({ bodies: 1, bytes: 60 });
    halfSent.leave();
    expect(budget.whole).toEqual({ bodies: 1, bytes: 60 });
    whole.leave();
    whole.leave();
    expect(budget.whole).toEqual({ bodies: 0, bytes: 0 });
  });
});

// What bodies of one kind share: turns to be read, one at a time, and a queue for them that ends.
describe('bodyShare', () => {
  test('behind 200 bodies that wait to be read the next one is refused, and those are not', async () => {
    const { limiter } = createBodyShare(1);
    const { hold, open } = gate();
    const bodies = Array.from({ length: 201 }, () => limiter(() => hold.then(() => 'read')));
    const next = limiter(async () => 'read').catch(({ code }: { code: string }) => code);
    open();
    expect([new Set(await Promise.all(bodies)), await next]).toEqual([new Set(['read']), 'unavailable']);
  });
});

// A body that takes long is inflated and read in its turn, and only while a client waits for the response.
describe('readBody', () => {
  /** Longer than what is read without a turn. */
  const text = `{"device":{"id":"d"},"system":{"os_version":"1"},"attribution":{},"unknown":"${'x'.repeat(64 * 1024)}"}`;

  async function read({
    operation = '/api/v1/attribution',
    ...sent
  }: Partial<SentBody> & { operation?: string }): Promise<string> {
    const contract = await loadPublicContract(projectFile('openapi.yaml'), Object.keys(operations));
    const { body } = contract.match('POST', operation)!;
    const limiter: SentBody['limiter'] = (work) => work();
    const all = { bytes: gzipSync(text), encoding: 'gzip' as const, limiter, assertAwaited: () => undefined };
    return readBody(body!, { ...all, onValue: () => undefined, ...sent }).then(
      (found) => found.bytes.toString(),
      (error: Error) =>
        isAppError(error, 'too_large')
          ? `too_large ${Object.values(error.details).reverse().join(' ')}`
          : error.message,
    );
  }

  test('a body that is to be inflated keeps its turn until it has been read', async () => {
    const seen: string[] = [];
    const inTurns = createLimiter({ atOnce: 1, longestQueue: 10, refusal: unavailable });
    const limiter: SentBody['limiter'] = (work) =>
      inTurns(async () => {
        seen.push('begins');
        return work();
      });
    const onValue = () => void seen.push('read');
    expect(await Promise.all([read({ limiter, onValue }), read({ limiter, onValue })])).toEqual([text, text]);
    expect(seen).toEqual(['begins', 'read', 'begins', 'read']);
  });

  const noTurn: SentBody['limiter'] = () => Promise.reject(new Error('waits for a turn'));

  test('a long body needs a turn, compressed or not', async () => {
    expect(await read({ limiter: noTurn })).toBe('waits for a turn');
    expect(await read({ bytes: Buffer.from(text), encoding: 'identity', limiter: noTurn })).toBe('waits for a turn');
    expect(await read({ bytes: Buffer.from(text), encoding: 'identity' })).toBe(text);
  });

  test.each([
    ['one pass does not read', `{"a":"${'x'.repeat(8 * 1024)}",`, 'waits for a turn'],
    ['one pass does not read, below 8 KiB', `{"a":"${'x'.repeat(4 * 1024)}",`, null],
    ['one pass reads', '{', null],
  ])('so does a shorter one that %s: %#', async (_, begin, refusal) => {
    const body = upload(begin);
    const operation = '/api/v1/session';
    for (const [bytes, encoding] of [
      [gzipSync(body), 'gzip'],
      [Buffer.from(body), 'identity'],
    ] as const)
      expect(await read({ bytes, encoding, limiter: noTurn, operation })).toBe(refusal ?? body);
  });

  /** Some 30 kB of events beside what it begins with. */
  function upload(begin: string): string {
    const events = Array.from({ length: 200 }, () => anEvent());
    return json(aReport({ sessions: [aSession({ events: begin === '{' ? events : [] })] }))
      .toString()
      .replace('{', begin);
  }

  test('between two bodies that take their turns the loop serves others', async () => {
    const order: string[] = [];
    const limiter = createLimiter({ atOnce: 1, longestQueue: 10, refusal: unavailable });
    const plain = { bytes: Buffer.from(text), encoding: 'identity' as const, limiter };
    const others = setInterval(() => order.push('other'), 0);
    await Promise.all([1, 2, 3].map(() => read({ ...plain, onValue: () => (busy(10), void order.push('body')) })));
    clearInterval(others);
    expect(order.join()).toMatch(/body,(other,)+body,(other,)+body/);
  });

  function busy(millis: number): void {
    for (const until = performance.now() + millis; performance.now() < until;);
  }

  test.each([
    ['numbers', '1,'],
    ['objects', '{},'],
    ['names', '"a":1,'],
  ])('too many values are refused before they are parsed: %s', async (_, unit) => {
    const [open, close] = unit.includes(':') ? '{}' : '[]';
    const inner = unit.repeat(50_000).slice(0, -1);
    expect(await read({ bytes: Buffer.from(`{"z":${open}${inner}${close}}`), encoding: 'identity' })).toBe(
      'too_large 50000 values',
    );
  });

  test('a body inflates to 512 KiB, and beyond that to 200 times its bytes', async () => {
    const filled = (length: number) => gzipSync(`{"z":"${'a'.repeat(length)}"}`);
    expect(await read({ bytes: filled(500_000) })).toBe('validation_failed');
    expect(await read({ bytes: filled(530_000) })).toBe('too_large 200 inflation');
    const noise = randomBytes(4_000).toString('hex');
    expect(await read({ bytes: gzipSync(`{"z":"${noise}${'a'.repeat(700_000)}"}`) })).toBe('validation_failed');
  });

  test('white space before an object says nothing of a coding', async () => {
    const spaced = `\r\n\t ${text}`;
    for (const encoding of ['gzip', 'deflate', 'identity'] as const)
      expect(await read({ bytes: Buffer.from(spaced), encoding })).toBe(spaced);
  });

  test('a gzip body without its header needs a turn, too', async () => {
    const limiter: SentBody['limiter'] = () => Promise.reject(new Error('for this test'));
    expect(await read({ encoding: 'identity', limiter })).toBe('for this test');
  });

  const forms = { gzip: gzipSync(text), zlib: deflateSync(text), raw: deflateRawSync(text), plain: Buffer.from(text) };
  type Form = keyof typeof forms;

  test.each<[string, SentBody['encoding'], Form]>([
    ['a header that was stripped', 'identity', 'gzip'],
    ['a header that was left', 'gzip', 'plain'],
    ['a header that was left', 'deflate', 'plain'],
    ['the header of the other coding', 'deflate', 'gzip'],
    ['the header of the other coding', 'gzip', 'zlib'],
    ['the header in its own sense', 'deflate', 'zlib'],
    ['the header as many understand it', 'deflate', 'raw'],
  ])('the first bytes tell what %s means: %s of %s', async (_, encoding, form) => {
    expect(await read({ bytes: forms[form], encoding })).toBe(text);
  });

  test.each<[SentBody['encoding'], Form]>([
    ['identity', 'zlib'],
    ['identity', 'raw'],
    ['gzip', 'raw'],
  ])('nothing tells that a body of %s is %s', async (encoding, form) => {
    expect(await read({ bytes: forms[form], encoding })).toBe('validation_failed');
  });

  test.each<[SentBody['encoding'], string]>([
    ['gzip', ''],
    ['deflate', ''],
    ['identity', '1f8b'],
    ['deflate', '1f8b'],
    ['deflate', '78'],
    ['deflate', '789c'],
    ['gzip', 'ffffffff'],
    ['deflate', 'ffffffff'],
  ])('as %s no body: %j', async (encoding, hex) => {
    expect(await read({ bytes: Buffer.from(hex, 'hex'), encoding })).toBe('validation_failed');
  });

  test.each([1, 6, 9])('a body of any size is told apart, compressed at level %p', async (level) => {
    for (const [length, before] of [0, 1, 100, 70_000].flatMap((each) =>
      ['', ' ', '\r\n'].map((space) => [each, space] as const),
    )) {
      const body = before + text.replace('"1"', JSON.stringify('x1'.repeat(length).slice(0, 8_000)));
      for (const compress of [gzipSync, deflateSync, deflateRawSync])
        expect(await read({ bytes: compress(body, { level }), encoding: 'deflate' })).toBe(body);
    }
  });

  test.each(['gzip', 'identity'] as const)('nobody waits any more: what came as %s is not read', async (encoding) => {
    let values = 0;
    const onValue = () => void values++;
    const assertAwaited = () => {
      throw unavailable();
    };
    // The body is neither JSON nor compressed: the service must not look at it.
    expect(await read({ bytes: Buffer.from('x'), encoding, assertAwaited, onValue })).toBe('unavailable');
    expect(values).toBe(0);
  });
});

// The list of offending fields: complete, one entry per path and bounded; a count over its limit takes precedence.
describe('bodyCheck', () => {
  const primitive = { oneOf: [{ type: 'string', maxLength: 5 }, { type: 'number' }, { type: 'boolean' }] };
  const item: Schema = {
    type: 'object',
    required: ['id', 'values'],
    properties: {
      id: { type: 'string', pattern: '\\S', maxLength: 4 },
      kind: { type: 'string', enum: ['a', 'b'] },
      values: {
        type: 'array',
        maxItems: 3,
        items: { type: 'object', required: ['value'], properties: { value: primitive } },
      },
    },
  };
  const schema: Schema = {
    type: 'object',
    required: ['name', 'outer', 'items'],
    properties: {
      name: { type: 'string' },
      outer: { type: 'object', required: ['inner'], properties: { inner: { type: 'integer', minimum: 0 } } },
      items: { type: 'array', minItems: 1, maxItems: 4, 'x-limit-unit': 'sessions', items: item },
    },
  };
  const check = compileBodyCheck(new Ajv({ allErrors: true, strict: false }), schema);
  const pathsOf = (body: unknown) => check(body).fields.map(({ path }) => path);
  const good = () => ({ name: 'n', outer: { inner: 1 }, items: [{ id: 'i', values: [{ value: 1 }] }] });
  const withItem = (fields: object) => ({ ...good(), items: [{ ...good().items[0], ...fields }] });

  test('a good body has no fault', () => {
    expect(check(good())).toMatchObject({ fields: [], overLimit: null });
  });

  test('unknown fields at every level are no fault', () => {
    const extended = withItem({ later: 1, values: [{ value: 1, later: [] }] });
    expect(check({ ...extended, later: {} })).toMatchObject({ fields: [], overLimit: null });
  });

  test.each<[string, unknown, string[]]>([
    ['missing fields, by their own paths', {}, ['name', 'outer', 'items']],
    ['a missing field inside', { ...good(), outer: {} }, ['outer.inner']],
    ['a missing field of an item', { ...good(), items: [{}] }, ['items[0].id', 'items[0].values']],
    ['a wrong type', { ...good(), name: 5 }, ['name']],
    ['an object instead of an array', { ...good(), items: {} }, ['items']],
    ['an item that is no object', { ...good(), items: [null, good().items[0], 'x'] }, ['items[0]', 'items[2]']],
    ['an empty array', { ...good(), items: [] }, ['items']],
    ['a blank id', withItem({ id: ' ' }), ['items[0].id']],
    ['too many values without a unit', withItem({ values: Array(4).fill({ value: 1 }) }), ['items[0].values']],
    ['a value of no primitive type', withItem({ values: [{ value: null }] }), ['items[0].values[0].value']],
    ['a value too long', withItem({ values: [{ value: 'x'.repeat(6) }] }), ['items[0].values[0].value']],
    [
      'faults at all levels at once',
      { name: null, outer: { inner: -1 }, items: [{ id: '', kind: 'c', values: [{ value: [] }, {}] }] },
      ['name', 'outer.inner', 'items[0].id', 'items[0].kind', 'items[0].values[0].value', 'items[0].values[1].value'],
    ],
  ])('names %s', (_, body, paths) => {
    expect(pathsOf(body).sort()).toEqual(paths.sort());
  });

  test('one field with several faults is listed once', () => {
    expect(pathsOf(withItem({ id: '     ' }))).toEqual(['items[0].id']);
  });

  test('a key is an index only where its parent is an array', () => {
    const open = { type: 'object', properties: { map: { type: 'object', additionalProperties: { type: 'string' } } } };
    const checkMap = compileBodyCheck(new Ajv({ allErrors: true, strict: false }), open);
    const { fields } = checkMap({ map: { '0': 1, 'a/b': 1, 'c~d': 1, ok: 'x' } });
    expect(fields.map(({ path }) => path).sort()).toEqual(['map["0"]', 'map["a/b"]', 'map["c~d"]']);
  });

  test('messages say the rule and never the value', () => {
    const secret = 'tell-nobody';
    const { fields } = check({ name: 5, outer: secret, items: [{ id: secret, kind: secret, values: secret }] });
    expect(fields).toHaveLength(5);
    expect(JSON.stringify(fields)).not.toContain(secret);
    const messageAt = (path: string) => fields.find((field) => field.path === path)?.message;
    expect(messageAt('items[0].kind')).toBe('must be one of: a, b');
    expect(check(withItem({ values: [{ value: {} }] })).fields[0]!.message).toBe(
      'must be a string, a number or a boolean',
    );
    expect(check(withItem({ values: [{ value: 'x'.repeat(6) }] })).fields[0]!.message).toMatch(/5 characters/);
  });

  describe('a count over its limit', () => {
    test('is told with its unit, not as a field', () => {
      const body = { ...good(), items: Array(5).fill(good().items[0]) };
      expect(check(body)).toMatchObject({ fields: [], overLimit: { unit: 'sessions', limit: 4 } });
    });
    test('is found beside other faults, also where its items are wrong', () => {
      expect(check({ items: Array(5).fill(null) }).overLimit).toEqual({ unit: 'sessions', limit: 4 });
    });
    test('is found behind a hundred faults', () => {
      const inner: Schema = { type: 'array', maxItems: 1, 'x-limit-unit': 'events', items: { type: 'string' } };
      const outer: Schema = { type: 'array', items: { type: 'object', required: ['x'], properties: { inner } } };
      const nested = compileBodyCheck(new Ajv({ allErrors: true }).addKeyword('x-limit-unit'), {
        type: 'object',
        properties: { outer },
      });
      const body = { outer: [...Array<object>(200).fill({}), { inner: ['a', 'b'] }] };
      expect(nested(body).fields).toHaveLength(100);
      expect(nested(body).overLimit).toEqual({ unit: 'events', limit: 1 });
    });
  });

  test('at most 100 fields are listed', () => {
    const flat = compileBodyCheck(new Ajv({ allErrors: true }), { type: 'array', items: { type: 'string' } });
    expect(flat(Array(101).fill(1)).fields).toHaveLength(100);
    expect(flat(Array(100).fill(1)).fields.at(-1)!.path).toBe('[99]');
  });
});
