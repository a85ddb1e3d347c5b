// Bounds responses that clients do not read, in bytes together and in time, so that they cannot use up the memory.
import type { ServerResponse } from 'node:http';
import { takeOut } from '../takeOut.ts';

/** The kernel keeps smaller responses. Of a connection with 16 KiB that wait, Node reads no packet of requests more. */
const smallest = 64 * 1024;

interface UnreadAnswer {
  response: ServerResponse;
  bytes: number;
  timer: NodeJS.Timeout;
}

export interface UnreadBounds {
  /** The most bytes that are written and not yet taken by connections. Above it the connections that have waited longest are closed. */
  bytes: number;
  /** The longest time until a client has taken one response. */
  millis: number;
}

/** To be called before a response ends that may be long. */
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
    // Node reports the end only when it is the response's turn on its connection, and Express would replace a subclass.
    response.end = (...given: unknown[]) => {
      end.apply(response, given);
      const { writableLength: bytes, req } = response;
      // A response that waits for an earlier one has no socket yet, and does not hear that its connection has closed.
      if (bytes >= smallest && !req.socket.destroyed) keep(response, bytes);
      return response;
    };
  };
}
