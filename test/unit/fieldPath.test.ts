// The written form of a path in a body.
import { fieldPath } from '../../src/platform/json/fieldPath.ts';

test.each<[(string | number)[], string]>([
  [[], ''],
  [['sessions', 0, 'events', 1, 'name'], 'sessions[0].events[1].name'],
  [['device', 'properties', 'platform'], 'device.properties.platform'],
  [['_a$9', '$'], '_a$9.$'],
  [['custom', 'a.b'], 'custom["a.b"]'],
  [['custom', 'a.b', 'c'], 'custom["a.b"].c'],
  [['with space'], '["with space"]'],
  [['0'], '["0"]'],
  [['9lives'], '["9lives"]'],
  [[''], '[""]'],
  [['é'], '["é"]'],
  [['say "hi"\\\n'], '["say \\"hi\\"\\\\\\n"]'],
  [['\0'], '["\\u0000"]'],
  [['custom', 'a\ud800'], 'custom["a\\ud800"]'],
])('%j is written %s', (segments, path) => {
  expect(fieldPath(segments)).toBe(path);
});

test('a path is cut at 1,024 characters', () => {
  const path = fieldPath(['a', 'b'.repeat(2_000)]);
  expect(path).toBe(`a.${'b'.repeat(1_022)}`);
});

test('characters are code points: of a surrogate pair no half is left', () => {
  const keys = ['🚀'.repeat(2_000), `b${'🚀'.repeat(2_000)}`, `${'c'.repeat(1_018)}🚀d`, `${'c'.repeat(1_019)}🚀d`];
  for (const key of keys) {
    const path = fieldPath(['a', key]);
    expect(path.isWellFormed()).toBe(true);
    expect(path).toBe([...`a["${key}"]`].slice(0, 1_024).join(''));
  }
});
