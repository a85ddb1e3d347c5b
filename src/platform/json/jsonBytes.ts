// Estimates the bytes of a value as JSON, without writing it.
import { RawJson } from './rawJson.ts';

/** The characters that JSON escapes. */
const escaped = /["\\\u0000-\u001f]/;

/** In UTF-8. Counting stops soon after `most`. */
export function jsonBytes(value: unknown, most = Infinity): number {
  if (typeof value === 'string') return textBytes(value);
  if (typeof value === 'number') return String(value).length + 1;
  if (typeof value !== 'object' || value === null) return 5;
  if (value instanceof RawJson) return Buffer.byteLength(value.text);
  // Only rows have these, no response has.
  if (ArrayBuffer.isView(value)) return value.byteLength;
  return Array.isArray(value) ? listBytes(value, most) : objectBytes(value as Record<string, unknown>, most);
}

function listBytes(list: readonly unknown[], most: number): number {
  let bytes = 2;
  for (let at = 0; at < list.length && bytes <= most; at++) bytes += jsonBytes(list[at], most - bytes);
  return bytes;
}

function objectBytes(object: Record<string, unknown>, most: number): number {
  let bytes = 2;
  for (const name in object) {
    bytes += name.length + 4 + jsonBytes(object[name], most - bytes);
    if (bytes > most) break;
  }
  return bytes;
}

function textBytes(text: string): number {
  return Buffer.byteLength(escaped.test(text) ? JSON.stringify(text) : text) + 3;
}
