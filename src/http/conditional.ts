// Conditional requests (RFC 9110, 13.1.2): whether the client holds what it would be sent.

const entityTag = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** Weak comparison: `W/"a"` and `"a"` are the same. `*` means anything there is. What is no tag matches nothing. */
export function clientHolds(ifNoneMatch: string | undefined, etag: string | undefined): boolean {
  if (ifNoneMatch === undefined || etag === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return [...ifNoneMatch.matchAll(entityTag)].some(([, opaque]) => opaque === etag);
}
