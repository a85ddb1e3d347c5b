// A body is inflated and read in its turn, and only while a client waits for the response.
import { gzipSync } from 'node:zlib';
import { loadPublicContract } from '../../src/http/contract.ts';
import { operations } from '../../src/http/operations.ts';
import { readBody, type SentBody } from '../../src/http/readBody.ts';
import { unavailable } from '../../src/platform/errors.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { createTurns } from '../../src/platform/turns.ts';

const text = '{"device":{"id":"d"},"system":{"os_version":"1"},"attribution":{}}';

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
  const inTurns = createTurns({ atOnce: 1, longestQueue: 10, refusal: unavailable });
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
