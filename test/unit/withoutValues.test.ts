// No message of the GraphQL library may repeat a value of the request, wherever the wrong value is.
import { buildSchema, getVariableValues, GraphQLError, parse, validate, type OperationDefinitionNode } from 'graphql';
import { withoutValues } from '../../src/graphql/withoutValues.ts';

const schema = buildSchema(`
  enum Color { RED }
  input I { email: String! password: String! color: Color count: Int list: [I!] }
  type Query { f(i: I): Int g(t: String, n: Int, b: Boolean, c: Color, id: ID): Int }
`);

function ofVariables(value: unknown): readonly GraphQLError[] {
  const operation = parse('query ($i: I!) { f(i: $i) }').definitions[0] as OperationDefinitionNode;
  return getVariableValues(schema, operation.variableDefinitions!, { i: value }).errors ?? [];
}

/** The message sent for an error about a variable: the library keeps the original fault beside the message. */
const told = ({ message, originalError }: GraphQLError) => withoutValues(message, originalError?.message);

test.each<[string, unknown]>([
  ['an unknown field', { email: 'a', password: 'CANARY', extra: 1 }],
  ['a missing field', { password: 'CANARY' }],
  ['a wrong type', { email: 'a', password: ['CANARY'] }],
  ['a wrong number', { email: 'a', password: 'x', count: 'CANARY' }],
  ['a wrong enum', { email: 'a', password: 'x', color: 'CANARY' }],
  ['a text that imitates the message', { email: ' at "CANARY"; CANARY', password: 1 }],
  ['a text that ends as a value does', { email: 'a', password: ['x; CANARY'] }],
  ['a number that ends so', { email: 'a', password: 'x', count: 'x" at "CANARY"; CANARY' }],
  ['an enum that ends so', { email: 'a', password: 'x', color: '"; CANARY" does not exist in "CANARY" enum.' }],
  ['a key that ends so', { email: 'a', password: { '" at "i.CANARY"; CANARY': 1 } }],
  ['a nested one', { email: 'a', password: 'x', list: [{ email: 'CANARY' }] }],
  ['no object', 'CANARY'],
])('%s in a variable', (_name, value) => {
  const errors = ofVariables(value);
  expect(errors.length).toBeGreaterThan(0);
  for (const error of errors) {
    const { message } = error;
    expect(message).toContain(value === 'CANARY' || message.includes('CANARY') ? 'CANARY' : 'Variable');
    expect(told(error)).not.toContain('CANARY');
    expect(told(error)).toContain('Variable "$i" is not valid');
  }
});

test('of a literal that a scalar refuses with a reason, only the reason', () => {
  const scalar = buildSchema('scalar J type Query { f(j: J): Int }');
  const refuse = (): never => {
    throw new TypeError('It must be short.');
  };
  Object.assign(scalar.getType('J')!, { parseLiteral: refuse });
  const [error] = validate(scalar, parse('{ f(j: { k: "; CANARY" }) }'));
  expect(error!.message).toContain('CANARY');
  expect(told(error!)).toBe('Expected value of type "J": It must be short.');
});

test('the place and the reason stay', () => {
  const [error] = ofVariables({ email: 'a', password: ['CANARY'] });
  expect(told(error!)).toBe('Variable "$i" is not valid at "i.password": String cannot represent a non string value.');
});

test.each(['t: CANARY', 't: ["CANARY"]', 'n: "CANARY"', 'b: "CANARY"', 'c: CANARY', 'c: "CANARY"', 'id: CANARY'])(
  'a literal %s',
  (argument) => {
    const errors = validate(schema, parse(`{ g(${argument}) }`));
    expect(errors).toHaveLength(1);
    expect(errors[0]!.message).toContain('CANARY');
    expect(withoutValues(errors[0]!.message)).not.toContain('CANARY');
  },
);

test.each(['{ g "CANARY" }', '{ """CANARY""" g }', '{ g(n: 1 "CANARY\\" x") }', '{ g 123 }'])(
  'a document %s',
  (text) => {
    let message = '';
    try {
      parse(text);
    } catch (error) {
      message = (error as GraphQLError).message;
    }
    expect(message).toMatch(/CANARY|123/);
    expect(withoutValues(message)).toMatch(/^Syntax Error: .*(String|Int)\.$/);
  },
);

test('other messages stay as they are', () => {
  const message = 'Cannot query field "nothing" on type "Query".';
  expect(withoutValues(message)).toBe(message);
});
