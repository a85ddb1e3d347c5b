// Sends and retries the requests for attribution, transactions and configuration: openapi.yaml, "Retries".
// They need no signature: openapi.yaml, "Authentication".
import type { Exchange, ExchangeParts, Reply } from './exchange.ts';
import { contentHeaders, wireBody } from './wireBody.ts';

export interface RequestParts extends Pick<ExchangeParts, 'credentials' | 'settings' | 'environment'> {
  exchange: Exchange;
  onStep(step: 'retried'): void;
}

export interface UnsignedRequest {
  path: string;
  headers?: Record<string, string>;
  /** JSON text. Without it the request is a GET. */
  body?: string;
}

/** The first response that is no failure; null when no attempt brought one. */
export async function sendUnsigned(request: UnsignedRequest, parts: RequestParts): Promise<Reply | null> {
  const { exchange, credentials, settings, onStep } = parts;
  const { path, body } = request;
  const headers = { ...request.headers, 'X-Api-Key': credentials.publicKey };
  const packed = body === undefined ? null : wireBody(body, settings.gzipAboveBytes);
  const init: RequestInit = packed
    ? { method: 'POST', headers: { ...headers, ...contentHeaders(packed) }, body: packed.bytes }
    : { headers };
  for (let attempt = 1; ; attempt += 1) {
    const reply = await exchange.send(path, init);
    if (reply && !reply.failed) return reply;
    if (attempt >= settings.retry.attempts) return null;
    await exchange.waitOut();
    onStep('retried');
  }
}
