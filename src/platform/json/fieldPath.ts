// Writes a place in a request body as `fields[].path` (openapi.yaml, "Paths in `fields`").

/** The most entries of one 422 body. */
export const maxFields = 100;

/** The most code points of a path: openapi.yaml counts them as characters. */
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

/** Cuts the key before it is quoted: a hostile key may have millions of characters. */
function written(key: string, first: boolean): string {
  const short = cut(key);
  if (identifier.test(short)) return first ? short : `.${short}`;
  return `[${JSON.stringify(short)}]`;
}

/** Never cuts inside a surrogate pair: half of one is not Unicode, and a client would fail on the response. */
function cut(text: string): string {
  if (text.length <= maxLength) return text;
  return [...text.slice(0, 2 * maxLength)].slice(0, maxLength).join('');
}
