// How a place in a request body is written in `fields[].path`: contract 1.3.

/** Entries of one 422 body. */
export const maxFields = 100;

/** Of a path, in code points, as openapi.yaml counts characters. */
const maxLength = 1024;
const identifier = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/** `['sessions', 0, 'events', 1, 'name']` becomes `sessions[0].events[1].name`; other keys become `["a.b"]`. */
export function fieldPath(segments: readonly (string | number)[]): string {
  let path = '';
  for (const segment of segments) {
    if (path.length >= 2 * maxLength) break;
    path += typeof segment === 'number' ? `[${segment}]` : written(segment, path === '');
  }
  return cut(path);
}

/** Cut before it is quoted: a hostile key may have millions of characters. */
function written(key: string, first: boolean): string {
  const short = cut(key);
  if (identifier.test(short)) return first ? short : `.${short}`;
  return `[${JSON.stringify(short)}]`;
}

/** Never inside a surrogate pair: half of one is no Unicode, and readers of the answer would fail on it. */
function cut(text: string): string {
  if (text.length <= maxLength) return text;
  return [...text.slice(0, 2 * maxLength)].slice(0, maxLength).join('');
}
