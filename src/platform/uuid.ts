// The text form of UUIDs: recognizes one, and writes 32 hexadecimal digits as one.

export const lowercaseUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const anyUuid = new RegExp(lowercaseUuid, 'i');

/** In upper, lower or mixed case. */
export function isUuid(text: string): boolean {
  return anyUuid.test(text);
}

export function uuidOfHex(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
