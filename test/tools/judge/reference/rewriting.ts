// Changes requests and responses of the reference SDK on their way, as an SDK with a fault would send them.
import { gunzipSync, gzipSync } from 'node:zlib';
import { signatureOf } from '../../../../src/platform/signature.ts';
import type { SdkEnvironment } from '../../demo/sdk/environment.ts';
import type { SessionReport } from '../recording.ts';

export type Fetch = SdkEnvironment['fetch'];

export const isUpload = (url: string): boolean => url.endsWith('/api/v1/session');

/** A response with another status, body or headers. */
export async function changed(
  response: Response,
  {
    status = response.status,
    body,
    headers = {},
  }: { status?: number; body?: object; headers?: Record<string, string | null> },
): Promise<Response> {
  const all = new Headers(response.headers);
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) all.delete(name);
    else all.set(name, value);
  }
  const text = body ? JSON.stringify(body) : await response.text();
  return new Response(status === 304 ? null : text, { status, headers: all });
}

export function readBody({ body, headers }: RequestInit): SessionReport {
  const bytes = Buffer.from(body as Uint8Array);
  const isPacked = new Headers(headers).get('content-encoding') === 'gzip';
  return JSON.parse((isPacked ? gunzipSync(bytes) : bytes).toString()) as SessionReport;
}

/** The same upload with another body, signed with the same timestamp and nonce. */
export function withBody(init: RequestInit, report: SessionReport, secret: string): RequestInit {
  const headers = new Headers(init.headers);
  const plain = Buffer.from(JSON.stringify(report));
  const body = Buffer.from(headers.get('content-encoding') === 'gzip' ? gzipSync(plain) : plain);
  const [publicKey, timestamp, nonce] = ['x-api-key', 'x-timestamp', 'x-nonce'].map((name) => headers.get(name)!);
  const parts = { publicKey: publicKey!, timestamp: timestamp!, nonce: nonce!, body };
  headers.set('x-signature', signatureOf(secret, parts));
  return { ...init, headers, body };
}
