// Answers that their clients do not read: bounded in bytes together and in time, so that they cannot take all memory.
import type { ServerResponse } from 'node:http';
import { takeOut } from '../takeOut.ts';

/** Smaller ones the kernel keeps, and what waits behind them on a connection is bounded in number (httpServer.ts). */
const smallest = 64 * 1024;

interface UnreadAnswer {
  response: ServerResponse;
  bytes: number;
  timer: NodeJS.Timeout;
}

export interface UnreadBounds {
  /** Of all that is written and not taken by a connection; beyond it those are cut that have waited longest. */
  bytes: number;
  /** For one answer to be taken. */
  millis: number;
}

/** To be told of each response before it is ended. */
export function boundUnreadAnswers(bounds: UnreadBounds): (response: ServerResponse) => void {
  /** The oldest first. */
  const unread: UnreadAnswer[] = [];
  let total = 0;
  const forget = (answer: UnreadAnswer): void => {
    clearTimeout(answer.timer);
    total -= answer.bytes;
    answer.bytes = 0;
    takeOut(unread, answer);
  };
  const cut = (answer: UnreadAnswer): void => {
    forget(answer);
    answer.response.req.socket.destroy();
  };
  const keep = (response: ServerResponse, bytes: number): void => {
    const timer = setTimeout(() => cut(answer), bounds.millis);
    const answer = { response, bytes, timer };
    unread.push(answer);
    total += bytes;
    response.on('close', () => forget(answer));
    while (total > bounds.bytes) cut(unread[0]!);
  };
  return (response) => {
    const end = response.end as (...given: unknown[]) => ServerResponse;
    // Node tells of an end only when the answer's turn on its connection has come, and Express would replace a subclass.
    response.end = (...given: unknown[]) => {
      end.apply(response, given);
      const { writableLength: bytes, req } = response;
      // One that waits behind another one has no socket yet, and is not told that its connection has gone.
      if (bytes >= smallest && !req.socket.destroyed) keep(response, bytes);
      return response;
    };
  };
}
