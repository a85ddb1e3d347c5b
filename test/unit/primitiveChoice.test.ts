// A choice among primitive types means the same as a list of types; every other `oneOf` stays as it is.
import { Ajv } from 'ajv';
import { withPrimitiveChoices } from '../../src/http/primitiveChoice.ts';

const primitive = { oneOf: [{ type: 'string', maxLength: 3 }, { type: 'number' }, { type: 'boolean' }] };

test('a choice becomes a list of types, wherever it stands', () => {
  const choice = { type: ['string', 'number', 'boolean'], maxLength: 3 };
  expect(withPrimitiveChoices(primitive)).toEqual(choice);
  const nested = { type: 'array', items: { type: 'object', properties: { value: primitive } } };
  expect(withPrimitiveChoices(nested)).toEqual({
    type: 'array',
    items: { type: 'object', properties: { value: choice } },
  });
});

test.each([
  [
    'two branches of one type',
    {
      oneOf: [
        { type: 'string', maxLength: 3 },
        { type: 'string', minLength: 5 },
      ],
    },
  ],
  ['an array among the branches', { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }] }],
  ['a branch that may be null', { oneOf: [{ type: 'string', nullable: true }, { type: 'number' }] }],
  ['a branch with values of its own', { oneOf: [{ type: 'string', enum: ['a'] }, { type: 'number' }] }],
  ['a type beside the choice', { type: 'string', oneOf: [{ type: 'string' }, { type: 'number' }] }],
])('%s is left alone', (_, schema) => {
  expect(withPrimitiveChoices(schema)).toEqual(schema);
});

test.each(['', 'abc', 'abcd', 0, 1.5, true, false, null, {}, [], ['a']])('%j gets the same verdict', (value) => {
  const ajv = new Ajv({ strict: false, strictNumbers: true });
  expect(ajv.compile(withPrimitiveChoices(primitive))(value)).toBe(ajv.compile(primitive)(value));
});
