// The signature of a session upload, pure (openapi.yaml, "Signature of a session request"): the service, the reference client and the tests share it.
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AppError, type SignatureRefusal } from './errors.ts';

export interface SignedParts {
  publicKey: string;
  timestamp: string;
  nonce: string;
  /** The body as sent on the wire. */
  body: Buffer;
}

/** `v1=` and the lowercase hex of the HMAC-SHA256. */
export function signatureOf(secret: string, { body, ...parts }: SignedParts): string {
  return signatureOfHash(secret, { ...parts, bodyHash: sha256(body) });
}

function signatureOfHash(
  secret: string,
  { publicKey, timestamp, nonce, bodyHash }: Omit<SignedParts, 'body'> & { bodyHash: Buffer },
): string {
  const signed = `v1\nPOST\n/api/v1/session\n${publicKey}\n${timestamp}\n${nonce}\n${bodyHash.toString('hex')}`;
  return `v1=${createHmac('sha256', secret).update(signed).digest('hex')}`;
}

export interface VerifiedSignature {
  nonce: string;
  /** Unix seconds. */
  timestamp: number;
  bodyHash: Buffer;
}

export interface Verification {
  headers: IncomingHttpHeaders;
  body: Buffer;
  key: { public: string; secret: string };
  required: boolean;
  now: Date;
}

/** In seconds. A phone signs a background transfer when the app queues it, and sends it when the system pleases. */
export const signatureWindow = { ahead: 300, behind: 86_400 };

/** Null for an upload without any of the headers where signing is optional; throws `not_authenticated` otherwise. */
export function verifySignature({ headers, body, key, required, now }: Verification): VerifiedSignature | null {
  const serverTime = Math.floor(now.getTime() / 1000);
  const { 'x-timestamp': timestamp, 'x-nonce': nonce, 'x-signature': signature } = headers;
  if (timestamp === undefined && nonce === undefined && signature === undefined && !required) return null;
  if (timestamp === undefined || nonce === undefined || signature === undefined)
    throw refused('signature_missing', serverTime);
  if (
    !hasForm(timestamp, /^[0-9]{10}$/) ||
    !hasForm(nonce, /^[A-Za-z0-9_-]{22,64}$/) ||
    !hasForm(signature, /^v1=[0-9a-f]{64}$/)
  ) {
    throw refused('signature_malformed', serverTime);
  }
  const bodyHash = sha256(body);
  const expected = signatureOfHash(key.secret, { publicKey: key.public, timestamp, nonce, bodyHash });
  // Before the clock, so that only a holder of the secret learns anything about it.
  if (!timingSafeEqual(Buffer.from(expected), Buffer.from(signature))) throw refused('signature_mismatch', serverTime);
  // In whole seconds, as the response states the server's time.
  const ahead = Number(timestamp) - serverTime;
  if (ahead > signatureWindow.ahead || -ahead > signatureWindow.behind)
    throw refused('timestamp_out_of_window', serverTime);
  return { nonce, timestamp: Number(timestamp), bodyHash };
}

function hasForm(value: string | string[], form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}

function sha256(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer');
}

function refused(reason: SignatureRefusal, serverTime: number): AppError {
  return new AppError('not_authenticated', { reason, serverTime });
}
