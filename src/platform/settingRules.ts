// The rules for the values of settings that no schema library knows: pure. None of them quotes a value.

/** Fewer than one random key of 32 bytes or more in 10^14 has fewer than 16 different bytes, or only printable ones. */
export function weaknessOf(key: Buffer, published: Buffer[]): string | null {
  if (published.some((known) => known.equals(key))) return 'is the public development key';
  if (key.length < 32) return null;
  if (new Set(key).size < 16) return 'repeats itself and is not random (openssl rand -base64 32)';
  return key.every((byte) => byte >= 32 && byte < 127) ? 'is a text and not random (openssl rand -base64 32)' : null;
}

/** The password of the examples in .env.example, or the user's name. A URL without a password may be right. */
export function hasGuessedPassword(url: string | undefined): boolean {
  if (url === undefined || !URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return password !== '' && (password === 'password' || password === username);
}

export const guessedPassword = (name: string): string =>
  `${name}: its password is that of the examples, or the user's name`;

/** In a browser's own spelling: lower case, no default port, no path, not `*` and not `null`. */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

export function isMailServer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  try {
    // The mail library decodes both when it sends, and throws then.
    decodeURIComponent(username + password);
    return /^smtps?:$/.test(protocol) && hostname !== '';
  } catch {
    return false;
  }
}

/** Buffer.from skips characters that are not base64. */
export function isBase64(text: string): boolean {
  return text.split(',').every((key) => /^[A-Za-z0-9+/]*={0,2}$/.test(key.trim()));
}

/** As bytes, because base64 can spell one key in several ways. */
export function readKeys(text: string): Buffer[] {
  return text.split(',').flatMap((key) => (key.trim() ? Buffer.from(key, 'base64') : []));
}
