// The list of offending fields: complete, one entry per path and bounded; a count over its limit takes precedence.
import { Ajv } from 'ajv';
import { compileBodyCheck } from '../../src/http/bodyCheck.ts';
import type { Schema } from '../../src/platform/json/schema.ts';

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
