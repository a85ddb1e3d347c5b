// A body that takes long is inflated and read in its turn, and only while a client waits for the response.
import { randomBytes } from 'node:crypto';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { loadPublicContract } from '../../src/http/contract.ts';
import { operations } from '../../src/http/operations.ts';
import { readBody, type SentBody } from '../../src/http/readBody.ts';
import { isAppError, unavailable } from '../../src/platform/errors.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { createLimiter } from '../../src/platform/turns.ts';
import { aReport, aSession, anEvent, json } from '../support/uploads.ts';

/** Longer than what is read without a turn. */
const text = `{"device":{"id":"d"},"system":{"os_version":"1"},"attribution":{},"unknown":"${'x'.repeat(64 * 1024)}"}`;

async function read({
  operation = '/api/v1/attribution',
  ...sent
}: Partial<SentBody> & { operation?: string }): Promise<string> {
  const contract = await loadPublicContract(projectFile('openapi.yaml'), Object.keys(operations));
  const { body } = contract.match('POST', operation)!;
  const inTurn: SentBody['inTurn'] = (work) => work();
  const all = { bytes: gzipSync(text), encoding: 'gzip' as const, inTurn, assertAwaited: () => undefined };
  return readBody(body!, { ...all, onValue: () => undefined, ...sent }).then(
    (found) => found.bytes.toString(),
    (error: Error) =>
      isAppError(error, 'too_large') ? `too_large ${Object.values(error.details).reverse().join(' ')}` : error.message,
  );
}

test('a body that is to be inflated keeps its turn until it has been read', async () => {
  const seen: string[] = [];
  const inTurns = createLimiter({ atOnce: 1, longestQueue: 10, refusal: unavailable });
  const inTurn: SentBody['inTurn'] = (work) =>
    inTurns(async () => {
      seen.push('begins');
      return work();
    });
  const onValue = () => void seen.push('read');
  expect(await Promise.all([read({ inTurn, onValue }), read({ inTurn, onValue })])).toEqual([text, text]);
  expect(seen).toEqual(['begins', 'read', 'begins', 'read']);
});

const noTurn: SentBody['inTurn'] = () => Promise.reject(new Error('waits for a turn'));

test('a long body needs a turn, compressed or not', async () => {
  expect(await read({ inTurn: noTurn })).toBe('waits for a turn');
  expect(await read({ bytes: Buffer.from(text), encoding: 'identity', inTurn: noTurn })).toBe('waits for a turn');
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
    expect(await read({ bytes, encoding, inTurn: noTurn, operation })).toBe(refusal ?? body);
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
  const inTurn = createLimiter({ atOnce: 1, longestQueue: 10, refusal: unavailable });
  const plain = { bytes: Buffer.from(text), encoding: 'identity' as const, inTurn };
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
  const inTurn: SentBody['inTurn'] = () => Promise.reject(new Error('for this test'));
  expect(await read({ encoding: 'identity', inTurn })).toBe('for this test');
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
