// How a place in a request body is written in `fields[].path`: contract 1.3.

/** Entries of one 422 body. */
export const maxFields = 100;

const maxLength = 1024;
const identifier = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/** `['sessions', 0, 'events', 1, 'name']` becomes `sessions[0].events[1].name`; other keys become `["a.b"]`. */
export function fieldPath(segments: readonly (string | number)[]): string {
  let path = '';
  for (const segment of segments) {
    if (path.length >= maxLength) break;
    path += typeof segment === 'number' ? `[${segment}]` : written(segment, path === '');
  }
  return path.slice(0, maxLength);
}

/** Cut before it is quoted: a hostile key may have millions of characters. */
function written(key: string, first: boolean): string {
  const short = key.slice(0, maxLength);
  if (identifier.test(short)) return first ? short : `.${short}`;
  return `[${JSON.stringify(short.toWellFormed())}]`;
}
