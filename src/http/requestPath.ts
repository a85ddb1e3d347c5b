// The path of a request's target, exactly as it was sent: what has no route in one form of a target has none in the other.

/**
 * Scheme and authority of an absolute target (RFC 9112, 3.2.2). They are cut off the text, because URL would resolve
 * dots and turn backslashes round, and so find routes that a target without them does not have.
 */
const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\\]+/i;

/** A target that cannot be read has no path, and `''` has no route. */
export function requestPath(target: string): string {
  if (target.startsWith('/')) return target.slice(0, endOfPath(target));
  const absolute = origin.exec(target);
  if (!absolute || !URL.canParse(target)) return '';
  const rest = target.slice(absolute[0].length);
  return rest.slice(0, endOfPath(rest));
}

function endOfPath(target: string): number {
  const end = target.search(/[?#]/);
  return end < 0 ? target.length : end;
}
