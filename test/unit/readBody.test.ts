// A body is inflated and read in its turn, and only while a client waits for the response.
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { loadPublicContract } from '../../src/http/contract.ts';
import { operations } from '../../src/http/operations.ts';
import { readBody, type SentBody } from '../../src/http/readBody.ts';
import { unavailable } from '../../src/platform/errors.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { createLimiter } from '../../src/platform/turns.ts';

/** Longer than what is inflated without a turn. */
const text = `{"device":{"id":"d"},"system":{"os_version":"1"},"attribution":{},"unknown":"${'x'.repeat(64 * 1024)}"}`;

async function read(sent: Partial<SentBody>): Promise<string> {
  const contract = await loadPublicContract(projectFile('openapi.yaml'), Object.keys(operations));
  const { body } = contract.match('POST', '/api/v1/attribution')!;
  const inTurn: SentBody['inTurn'] = (work) => work();
  const all = { bytes: gzipSync(text), encoding: 'gzip' as const, inTurn, assertAwaited: () => undefined };
  return readBody(body!, { ...all, onValue: () => undefined, ...sent }).then(
    (found) => found.bytes.toString(),
    ({ message }: Error) => message,
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

test('one that is sent as it is needs no turn', async () => {
  const inTurn: SentBody['inTurn'] = () => Promise.reject(new Error('for this test'));
  expect(await read({ bytes: Buffer.from(text), encoding: 'identity', inTurn })).toBe(text);
  expect(await read({ inTurn })).toBe('for this test');
});

test('a short body is inflated without a turn', async () => {
  const inTurn: SentBody['inTurn'] = () => Promise.reject(new Error('for this test'));
  const short = text.replace(/x{2,}/, 'x');
  expect(await read({ bytes: gzipSync(short), inTurn })).toBe(short);
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
