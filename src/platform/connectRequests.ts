// CONNECT, which Node takes for the beginning of a tunnel: a request as any other, and the last one of its connection.
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { answerLast } from './lastRequest.ts';

/** `unanswered` holds the responses under way, of all connections: those of requests that came before it go first. */
export function answerConnect(server: Server, unanswered: readonly ServerResponse[]): void {
  server.on('connect', (request, stream) => {
    const socket = stream as Socket;
    // Node has taken its own listener away, and an error that nobody hears would end the process.
    socket.on('error', () => socket.destroy());
    const inTurn = (): void => {
      const earlier = unanswered.find(({ req }) => req.socket === socket);
      if (earlier) return void earlier.once('close', inTurn);
      if (!socket.writable) return void socket.destroy();
      answerLast(server, request, socket);
    };
    inTurn();
    // Whatever follows was meant for the tunnel.
    socket.resume();
  });
}
