// Reads connections whose request was refused in turns, so that a flood of refusals leaves the event loop to uploads and new connections.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { waitedMillis } from './acceptQueue.ts';

type Pausable = Pick<Socket, 'pause' | 'resume'>;
type Refused = Pick<ServerResponse, 'shouldKeepAlive'> & {
  req: Pick<IncomingMessage, 'complete'> & { socket: Pausable };
};

/**
 * A round of the event loop reads every connection that has sent something, and accepts one. With 2,000 connections a
 * round took 80 ms of refusals, in which nothing was stored and nobody accepted (docs/decisions/small-upload-floods.md).
 */
const perRound = 32;
/** As many again for each step that the next one has waited: the later the turns, the more of the loop they get. */
const stepMillis = 100;
/** While new connections wait, of which a round accepts one, both must come on: with 32 the new ones waited for 6 s. */
const besideNewOnes = 2;
/** Of the 2 s within which every request gets its response. */
const longestMillis = 1_500;

const resting: { socket: Pausable; since: number }[] = [];
let first = 0;

/**
 * Sends a refusal by `send`. Afterwards the connection waits for its turn to be read again. When such turns come too
 * late, the connection is closed instead: more waits than can be refused in time. A request that has not arrived whole
 * is left alone: a close would reset the connection, and its client might never read the refusal.
 */
export function refuseInTurn(response: Refused, send: () => void): void {
  const { complete, socket } = response.req;
  const isLate = complete && restedMillis() > longestMillis;
  if (isLate) response.shouldKeepAlive = false;
  send();
  if (!complete || isLate) return;
  socket.pause();
  if (resting.push({ socket, since: performance.now() }) === 1) setImmediate(readOn);
}

/** How long the connection whose turn is next has waited. */
function restedMillis(): number {
  const next = resting[first];
  return next ? performance.now() - next.since : 0;
}

function readOn(): void {
  const count = waitedMillis() > 0 ? besideNewOnes : Math.ceil(perRound * (1 + restedMillis() / stepMillis));
  const end = Math.min(resting.length, first + count);
  while (first < end) resting[first++]!.socket.resume();
  // Not by `shift`, which moves all of the list.
  if (first === resting.length || first >= 1_024) {
    resting.splice(0, first);
    first = 0;
  }
  if (resting.length > 0) setImmediate(readOn);
}
