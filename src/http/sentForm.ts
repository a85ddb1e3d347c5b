// Tells how the bytes of a body are compressed, because proxies strip and change `Content-Encoding` (openapi.yaml, "Compression").
import { byteOf } from '../platform/json/jsonSigns.ts';

/** The coding that the headers name. */
export type ContentEncoding = 'identity' | 'gzip' | 'deflate';

/** `deflate` means zlib's format (RFC 9110, 8.4.1.2), and some clients send the raw one (RFC 1951). */
export type CompressedForm = 'gzip' | 'zlib' | 'raw';

/**
 * The bytes decide, and `encoding` only where they say nothing. No JSON begins as gzip or zlib does. No raw stream that
 * holds an object begins with a brace: that byte would announce a character beyond ASCII.
 */
export function sentForm(bytes: Buffer, encoding: ContentEncoding): CompressedForm | 'plain' {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip';
  if (encoding === 'identity' || bytes[0] === byteOf.openBrace) return 'plain';
  if (isZlib(bytes)) return 'zlib';
  return encoding === 'gzip' ? 'gzip' : 'raw';
}

/** RFC 1950, 2.2: the method is 8, and the first two bytes are a multiple of 31. A raw stream would begin with unused bits. */
function isZlib(bytes: Buffer): boolean {
  return bytes.length > 1 && (bytes[0]! & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}
