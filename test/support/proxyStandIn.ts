// A slow stand-in for a process of one role behind HAProxy: it counts what reaches it, and holds it while it is told to.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { errorResponse } from '../../src/http/responses.ts';
import { failureOf } from '../../src/graphql/errors.ts';
import { AppError } from '../../src/platform/errors.ts';

export const unavailable = errorResponse(new AppError('unavailable', { retryAfterSeconds: 1 })).body as Record<
  string,
  unknown
>;
/** The body of schema.graphql, "Load". */
export function adminUnavailable(retryAfterSeconds: number) {
  const { message, extensions } = failureOf(new AppError('unavailable', { retryAfterSeconds }));
  return { errors: [{ message, extensions }] };
}
/** In place of one process. */
export interface StandIn {
  /** Where a request of its role goes. */
  path: string;
  /** How many requests the proxy gives it at once. */
  places: number;
  refusal: (retryAfterSeconds: number) => unknown;
  /** What it has been asked. */
  seen: IncomingMessage[];
  underWay: number;
  mostUnderWay: number;
  /** While it is true, requests wait in `held`. */
  holds: boolean;
  held: ServerResponse[];
  server: Server;
  /** In a thread of its own: while the clients of a flood hold up this one, HAProxy must not take the process for unready. */
  ops: Worker;
}

/** A message is the status of `/readyz` from then on. */
const opsProgram = `const { parentPort } = require('node:worker_threads');
let status = 200;
parentPort.on('message', (next) => void (status = next));
require('node:http').createServer((_, response) => response.writeHead(status).end()).listen(0, '127.0.0.1', function () {
  parentPort.postMessage(this.address().port);
})`;
const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

export async function startStandIn(role: Pick<StandIn, 'path' | 'places' | 'refusal'>) {
  const ops = new Worker(opsProgram, { eval: true });
  const [opsPort] = (await once(ops, 'message')) as [number];
  const server = createServer((incoming, response) => {
    standIn.seen.push(incoming);
    standIn.mostUnderWay = Math.max(standIn.mostUnderWay, ++standIn.underWay);
    response.on('close', () => void (standIn.underWay -= 1));
    incoming.resume().on('end', () => void (standIn.holds ? standIn.held.push(response) : response.end('{}')));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const counts = { seen: [], underWay: 0, mostUnderWay: 0, holds: false, held: [] };
  const standIn: StandIn = { ...role, ...counts, server, ops };
  return { standIn, behind: { service: urlOf((server.address() as AddressInfo).port), ops: urlOf(opsPort) } };
}

export function release(standIn: StandIn): void {
  standIn.holds = false;
  for (const response of standIn.held.splice(0)) response.end('{}');
}
