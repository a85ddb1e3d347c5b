// The ordinary transport of an upload: HTTP over keep-alive connections, with a client's timeout.
import type { Reply, Transport } from './ledger.ts';

/** Longer than the service may take: no response within this time is the service's failure. */
export const patienceMillis = 30_000;

/** `url` is called for each upload, because a restarted process listens at another address. */
export function uploadTo(url: () => string): Transport {
  return async ({ body, headers }): Promise<Reply> => {
    const response = await fetch(`${url()}/api/v1/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: new Uint8Array(body),
      signal: AbortSignal.timeout(patienceMillis),
    });
    return { status: response.status, body: await response.json(), headers: Object.fromEntries(response.headers) };
  };
}
