// Objects cut out of a JSON text are the bytes that were sent, whatever is around them.
import { objectTexts } from '../../src/platform/json/objectTexts.ts';

const paths = ['a.b', 'c'];
const cut = (text: string) => Object.fromEntries(objectTexts(text, paths));

test.each<[string, Record<string, string>]>([
  ['{}', {}],
  [' \t\r\n{ "c" : { } } \n', { c: '{ }' }],
  ['{"c":{"x":[{"c":{}}],"y":"}{\\"}"},"z":1}', { c: '{"x":[{"c":{}}],"y":"}{\\"}"}' }],
  ['{"a":{"b":{"n":1.0e2}},"c":{"d":"\\\\"}}', { 'a.b': '{"n":1.0e2}', c: '{"d":"\\\\"}' }],
  ['{"a" : {"x":[1,[2,{"b":{}}]] , "b" :{"x":1} , "y":true} , "c":null}', { 'a.b': '{"x":1}' }],
  ['{"\\u0061":{"\\u0062":{"x":1}}}', { 'a.b': '{"x":1}' }],
])('%s', (text, expected) => {
  expect(cut(text)).toEqual(expected);
});

test.each(['true', ' 7 ', '"a"', '""', '[]', '["c"]', '[{"c":{}}]', '[0,0]'])(
  '%s, which is no object, has none',
  (text) => {
    expect(cut(text)).toEqual({});
  },
);

test('only an object at the path itself counts, and the last of a repeated key', () => {
  expect(cut('{"x":{"c":{"no":1}},"y":[{"c":{}}],"a":[{"b":{}}],"c":"{}"}')).toEqual({});
  expect(cut('{"a.b":{"no":1},"a":{"b.c":{},"b":{"yes":1}}}')).toEqual({ 'a.b': '{"yes":1}' });
  expect(cut('{"c":{"x":1},"c":{"x":2}}')).toEqual({ c: '{"x":2}' });
});

test('what JSON.stringify writes of any value is cut to the byte', () => {
  const values = [{ x: '"\\{}[],:' }, { y: [[], {}, [{ z: null }], -1.5e-7, '\u2028'] }, { '': { '}': '{' } }];
  for (const value of values)
    for (const space of [0, 2, '\t']) {
      const text = JSON.stringify(
        { before: [values, 'c'], a: { x: value, b: value }, c: value, after: value },
        null,
        space,
      );
      const found = objectTexts(text, paths);
      for (const path of paths) expect(JSON.parse(found.get(path)!)).toEqual(value);
    }
});
