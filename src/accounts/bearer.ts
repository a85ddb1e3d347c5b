// Reads the bearer token out of an Authorization header (RFC 6750, 2.1).

// The scheme's name is case-insensitive (RFC 9110, 11.1); the token's characters are those of token68.
const form = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** Null without a header, or when the header has another form. */
export function bearerOf(authorization: string | undefined): string | null {
  return form.exec(authorization ?? '')?.[1] ?? null;
}
