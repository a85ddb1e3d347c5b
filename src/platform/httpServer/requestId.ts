// Names each request: by the X-Request-Id that a proxy of ours gave it, or by one of our own. Its answer and its log lines carry it.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Of UUIDs, trace ids and the like: no key, token or address has this form, so none gets into the log by it. */
const form = /^[A-Za-z0-9-]{16,64}$/;

/** Kept on the request: a WeakMap of all of them costs each collection of garbage a look at every entry. */
const id = Symbol('request id');

/** The same for a request whenever it is asked. */
export function requestIdOf(request: IncomingMessage & { [id]?: string }): string {
  return (request[id] ??= sentId(request) ?? randomUUID());
}

function sentId({ headers }: IncomingMessage): string | null {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && form.test(sent) ? sent : null;
}
