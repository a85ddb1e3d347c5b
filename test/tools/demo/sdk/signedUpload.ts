// One upload as it goes over the wire: the headers that sign its bytes.
import { signatureOf } from '../../../../src/platform/signature.ts';
import type { Credentials } from './settings.ts';
import { contentHeaders, type WireBody } from './wireBody.ts';

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
    ...contentHeaders(body),
    'X-Api-Key': publicKey,
    'X-Timestamp': timestamp,
    'X-Nonce': nonce,
    'X-Signature': signatureOf(secretKey, { publicKey, timestamp, nonce, body: body.bytes }),
  };
}
