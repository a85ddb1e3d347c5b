// Reads connections in turns, so that a flood leaves the event loop to uploads and to connections that wait to be accepted.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { connectionsWait } from './acceptQueue.ts';

type Pausable = Pick<Socket, 'pause' | 'resume'>;
type Answered = { req: Pick<IncomingMessage, 'complete'> & { socket: Pausable & Pick<Socket, 'writable'> } };
type Refused = Pick<ServerResponse, 'shouldKeepAlive'> & Answered;

/**
 * A round of the event loop reads every connection that has sent something, and accepts one. With 2,000 connections a
 * round took 80 ms of refusals, in which nothing was stored and nobody accepted (docs/decisions/small-upload-floods.md).
 */
const perRound = 32;
/** As many again for each step that the next one has waited: the later the turns, the more of the loop they get. */
const stepMillis = 100;
/**
 * While new connections wait, of which a round accepts one, rounds must be short: each second one reads one connection, or
 * each one two after this wait. Where only refused ones took turns, the last of 2,000 new connections waited for 10 s.
 */
const lateBesideNewOnesMillis = 1_000;
/** Of the 2 s within which every request gets its response. */
const longestMillis = 1_500;

/** When each connection came to rest, in this order. */
const resting = new Map<Pausable, number>();
let isSecondRound = false;

const refused = new WeakSet<Answered>();

/**
 * Sends a refusal by `send`. Afterwards the connection waits for its turn to be read again. When such turns come too
 * late, the connection is closed instead: more waits than can be refused in time. A request that has not arrived whole
 * keeps its connection: a close would reset it, and its client might never read the refusal.
 */
export function refuseInTurn(response: Refused, send: () => void): void {
  const isLate = response.req.complete && restedMillis() > longestMillis;
  if (isLate) response.shouldKeepAlive = false;
  else refused.add(response);
  send();
}

/**
 * After a response that no other one of its connection follows until more is read: the connection waits for its turn after
 * a refusal, and after any response while new connections wait. One that is being closed takes no turn. A request that is
 * still arriving is left alone: its client may read the response only after it has sent all.
 */
export function restInTurn(response: Answered): void {
  const { complete, socket } = response.req;
  if (complete && socket.writable && (refused.has(response) || connectionsWait())) rest(socket);
}

function rest(socket: Pausable): void {
  if (resting.has(socket)) return;
  socket.pause();
  resting.set(socket, performance.now());
  if (resting.size === 1) setImmediate(readOn);
}

/** How long the connection whose turn is next has waited. */
function restedMillis(): number {
  const next = resting.values().next();
  return next.done ? 0 : performance.now() - next.value;
}

function readOn(): void {
  let left = countOfRound();
  for (const socket of resting.keys()) {
    if (left-- === 0) break;
    resting.delete(socket);
    socket.resume();
  }
  if (resting.size > 0) setImmediate(readOn);
}

function countOfRound(): number {
  const rested = restedMillis();
  if (!connectionsWait()) return Math.ceil(perRound * (1 + rested / stepMillis));
  if (rested > lateBesideNewOnesMillis) return 2;
  isSecondRound = !isSecondRound;
  return isSecondRound ? 0 : 1;
}
