// One upload as it goes over the wire: the body's bytes, packed once, and the headers that sign them.
import { gzipSync } from 'node:zlib';
import { signatureOf } from '../../http/signature.ts';
import type { Credentials } from './settings.ts';
import type { SessionReport } from './wire.ts';

export interface WireBody {
  bytes: Buffer<ArrayBuffer>;
  encoding: 'identity' | 'gzip';
}

export function wireBody(report: SessionReport, gzipAboveBytes: number): WireBody {
  const bytes = Buffer.from(JSON.stringify(report));
  return bytes.length > gzipAboveBytes
    ? { bytes: Buffer.from(gzipSync(bytes)), encoding: 'gzip' }
    : { bytes, encoding: 'identity' };
}

export interface Stamp {
  /** Unix seconds by the corrected clock. */
  timestamp: number;
  /** 16 random bytes. */
  nonce: Uint8Array;
}

/** The signature covers the bytes as sent, so a body that is compressed is signed compressed. */
export function signedHeaders(
  body: WireBody,
  stamp: Stamp,
  { publicKey, secretKey }: Credentials,
): Record<string, string> {
  // Ten digits also on a device whose clock stands in 1970: the answer to that is a 403 that corrects the clock.
  const timestamp = String(stamp.timestamp).padStart(10, '0');
  const nonce = Buffer.from(stamp.nonce).toString('base64url');
  return {
    'Content-Type': 'application/json',
    ...(body.encoding === 'gzip' ? { 'Content-Encoding': 'gzip' } : {}),
    'X-Api-Key': publicKey,
    'X-Timestamp': timestamp,
    'X-Nonce': nonce,
    'X-Signature': signatureOf(secretKey, { publicKey, timestamp, nonce, body: body.bytes }),
  };
}
