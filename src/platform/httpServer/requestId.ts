// The id of each request: the X-Request-Id of the operator's proxy, or a new one. The response and the log lines carry it.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The form of UUIDs and trace ids. No key, token or address has it, so none gets into the log as an id. */
const form = /^[A-Za-z0-9-]{16,64}$/;

/** Kept on the request object: each garbage collection would visit every entry of a WeakMap. */
const id = Symbol('request id');

/** Always the same id for the same request. */
export function requestIdOf(request: IncomingMessage & { [id]?: string }): string {
  return (request[id] ??= sentId(request) ?? randomUUID());
}

function sentId({ headers }: IncomingMessage): string | null {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && form.test(sent) ? sent : null;
}
