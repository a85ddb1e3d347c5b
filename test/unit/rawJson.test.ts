// JSON texts that the service sends exactly as it received them.
import { RawJson, stringifyWithRawJson } from '../../src/platform/json/rawJson.ts';

test('writes the texts at their places and everything else as JSON.stringify does', () => {
  const value = { a: [new RawJson('1.10'), 'x"y', new RawJson('{"$&":12345678901234567890}')], b: { c: null } };
  expect(stringifyWithRawJson(value)).toBe('{"a":[1.10,"x\\"y",{"$&":12345678901234567890}],"b":{"c":null}}');
  expect(stringifyWithRawJson({ data: { d: '0:0' } })).toBe('{"data":{"d":"0:0"}}');
});

test('a value that cannot be written leaves nothing behind for the next one', () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  expect(() => stringifyWithRawJson(circle)).toThrow('circular');
  expect(JSON.stringify(new RawJson('1.10'))).toBe('{"text":"1.10"}');
});
