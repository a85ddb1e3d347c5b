// The packed form of ids: it loses nothing, never makes two ids equal, and is short for the ids that SDKs generate.
import { randomInt, randomUUID } from 'node:crypto';
import { packId, unpackId } from '../../src/sessions/packedId.ts';

const uuid = '0192f0c4-9a5e-7abc-8def-00c0ffee00ff';

function pick<Item>(items: readonly Item[]): Item {
  return items[randomInt(items.length)]!;
}

/** Ids close to packed ones: other letter cases, other dashes, one digit more or less, the tags as text. */
function randomId(): string {
  const id = randomUUID();
  const chars = [...'0aAfFgG-\u0000\u0001\u0002 éß\u0131\u212a🚀'];
  return pick([
    () => id,
    () => id.toUpperCase(),
    () => [...id].map((char) => (randomInt(2) ? char.toUpperCase() : char)).join(''),
    () => id.replaceAll('-', ''),
    () => `{${id}}`,
    () => id.slice(0, randomInt(37)),
    () => `${id}${pick(chars)}`,
    () => id.replace(id[randomInt(36)]!, pick(chars)),
    () => Array.from({ length: randomInt(1, 40) }, () => pick(chars)).join(''),
  ])();
}

test('any id comes back as it was, and distinct ids stay distinct', () => {
  const packed = new Map<string, string>();
  for (let i = 0; i < 20_000; i++) {
    const id = randomId();
    const bytes = packId(id);
    expect(unpackId(bytes)).toBe(id);
    const known = packed.get(bytes.toString('hex'));
    if (known !== undefined) expect(known).toBe(id);
    packed.set(bytes.toString('hex'), id);
  }
  expect(packed.size).toBeGreaterThan(10_000);
});

test('the spellings of one UUID are different ids', () => {
  const spellings = [uuid, uuid.toUpperCase(), uuid.replace('abc', 'ABC'), uuid.replaceAll('-', ''), `{${uuid}}`];
  const packed = spellings.map((id) => packId(id).toString('hex'));
  expect(new Set(packed).size).toBe(spellings.length);
});

test('the bytes of a packed UUID, read as the text of an id, are another id', () => {
  const text = packId(uuid).toString('latin1');
  expect(packId(text).equals(packId(uuid))).toBe(false);
  expect(unpackId(packId(text))).toBe(text);
});

test.each([
  ['a lower-case UUID', uuid, `01${uuid.replaceAll('-', '')}`],
  ['an upper-case UUID', uuid.toUpperCase(), `02${uuid.replaceAll('-', '')}`],
  ['a UUID of digits only', '00000000-0000-0000-0000-000000000000', `01${'0'.repeat(32)}`],
  ['a short text', 'e-01', '00652d3031'],
  ['a text of 36 characters', 'x'.repeat(36), `00${'78'.repeat(36)}`],
  ['text beyond ASCII', 'é', '00c3a9'],
])('%s is stored in the bytes that are stored already', (_, id, hex) => {
  expect(packId(id).toString('hex')).toBe(hex);
});

test('a view into a larger buffer, as a driver may hand it out, is unpacked from its own bytes', () => {
  const large = Buffer.concat([Buffer.alloc(7, 1), packId(uuid), Buffer.alloc(7, 1)]);
  expect(unpackId(new Uint8Array(large.buffer, large.byteOffset + 7, 17))).toBe(uuid);
});
