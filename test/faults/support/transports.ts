// The ordinary way of an upload to the service: over connections that are kept, with a client's patience.
import type { Reply, Transport } from './ledger.ts';

/** Longer than the service may take: no answer within it is a failure of the service's own. */
export const patienceMillis = 30_000;

/** `url` is asked anew for each upload, since a process that is started again listens elsewhere. */
export function uploadTo(url: () => string): Transport {
  return async ({ body, headers }): Promise<Reply> => {
    const answer = await fetch(`${url()}/api/v1/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: new Uint8Array(body),
      signal: AbortSignal.timeout(patienceMillis),
    });
    return { status: answer.status, body: await answer.json(), headers: Object.fromEntries(answer.headers) };
  };
}
