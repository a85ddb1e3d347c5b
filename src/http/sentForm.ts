// Tells how the bytes of a body are compressed, because proxies strip and change `Content-Encoding` (openapi.yaml, "Compression").
import { byteOf } from '../platform/json/jsonSigns.ts';

/** The coding that the headers name. */
export type ContentEncoding = 'identity' | 'gzip' | 'deflate';

/** `deflate` means zlib's format (RFC 9110, 8.4.1.2), and some clients send the raw one (RFC 1951). */
export type CompressedForm = 'gzip' | 'zlib' | 'raw';

/**
 * The bytes decide; `encoding` decides only when the bytes are ambiguous. No JSON begins as gzip or zlib does. No raw
 * stream of an object begins as JSON does: those bits would mean another first character, or tables that no encoder
 * makes.
 */
export function sentForm(bytes: Buffer, encoding: ContentEncoding): CompressedForm | 'plain' {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip';
  if (encoding === 'identity' || beginsAsObject(bytes)) return 'plain';
  if (isZlib(bytes)) return 'zlib';
  return encoding === 'gzip' ? 'gzip' : 'raw';
}

function beginsAsObject(bytes: Buffer): boolean {
  let at = 0;
  while (whiteSpace.includes(bytes[at])) at++;
  return bytes[at] === byteOf.openBrace;
}

const whiteSpace: (number | undefined)[] = [byteOf.space, byteOf.tab, byteOf.lineFeed, byteOf.carriageReturn];

/** RFC 1950, 2.2: the method is 8, and the first two bytes are a multiple of 31. A raw stream would begin with unused bits. */
function isZlib(bytes: Buffer): boolean {
  return bytes.length > 1 && (bytes[0]! & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}
