// Names each request: by the X-Request-Id that a proxy of ours gave it, or by one of our own. Its answer and its log lines carry it.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Of UUIDs, trace ids and the like: no key, token or address has this form, so none gets into the log by it. */
const form = /^[A-Za-z0-9-]{16,64}$/;

const known = new WeakMap<IncomingMessage, string>();

/** The same for a request whenever it is asked. */
export function requestIdOf(request: IncomingMessage): string {
  let id = known.get(request);
  if (id === undefined) {
    const sent = request.headers['x-request-id'];
    id = typeof sent === 'string' && form.test(sent) ? sent : randomUUID();
    known.set(request, id);
  }
  return id;
}
