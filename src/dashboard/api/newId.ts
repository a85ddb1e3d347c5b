// An id that nobody else has made: 32 hexadecimal digits. `crypto.randomUUID` is there in secure contexts alone.

export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
