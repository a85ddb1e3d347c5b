// What the HTTP parser refuses: it gets an answer of its own, in its turn, and nothing more is read from its connection.
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Requests that came whole before the broken one are answered first: its 400 in their place would tell a client to drop
 * what is being stored. `unanswered` holds the responses under way, of all connections.
 */
export function refuseBrokenRequests(server: Server, unanswered: readonly ServerResponse[]): void {
  const refused = new WeakSet<Socket>();
  const latest = new WeakMap<Socket, ServerResponse>();
  server.prependListener('request', ({ socket }, response) => void latest.set(socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // The parser complains again about each piece that still comes.
    if (refused.has(socket)) return;
    refused.add(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const inTurn = (): void => {
      const earlier = unanswered.find(({ req }) => req.socket === socket && req.complete);
      if (earlier) return void earlier.once('close', inTurn);
      // A request whose body breaks off after its answer must not get a second one.
      const own = latest.get(socket);
      socket.end(own && !own.req.complete && own.headersSent ? '' : refusal(error));
    };
    inTurn();
  });
}

/** It never becomes a request; it still gets a Date, like every answer. */
function refusal({ code }: NodeJS.ErrnoException): string {
  const status = code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request';
  return `HTTP/1.1 ${status}\r\nDate: ${new Date().toUTCString()}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
}
