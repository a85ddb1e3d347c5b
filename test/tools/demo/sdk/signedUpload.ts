// Makes the headers that sign the bytes of one upload: openapi.yaml, "Signature of a session request".
import { signatureOf } from '../../../../src/platform/signature.ts';
import type { Credentials } from './settings.ts';
import { contentHeaders, type WireBody } from './wireBody.ts';

export interface Stamp {
  /** Unix seconds by the corrected clock. */
  timestamp: number;
  /** 16 random bytes. */
  nonce: Uint8Array;
}

/** The signature covers the bytes as sent, so a body is signed after its compression. */
export function signedHeaders(
  body: WireBody,
  stamp: Stamp,
  { publicKey, secretKey }: Credentials,
): Record<string, string> {
  // Padded to ten digits for a clock that stands in 1970: the server then responds with a 403 that corrects the clock.
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
