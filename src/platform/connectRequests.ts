// CONNECT, which Node takes for the beginning of a tunnel: a request as any other, and the last one of its connection.
import { ServerResponse, type Server } from 'node:http';
import type { Socket } from 'node:net';

/** `unanswered` holds the responses under way, of all connections: those of requests that came before it go first. */
export function answerConnect(server: Server, unanswered: readonly ServerResponse[]): void {
  server.on('connect', (request, stream) => {
    const socket = stream as Socket;
    const earlier = (): ServerResponse[] => unanswered.filter(({ req }) => req.socket === socket);
    // Node has taken its own listeners away: an error that nobody hears would end the process, and a response that is
    // not its socket's turn yet would never hear that the client has gone.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => earlier().forEach((response) => response.emit('close')));
    const inTurn = (): void => {
      const [first] = earlier();
      if (first) return void first.once('close', inTurn);
      if (!socket.writable) return void socket.destroy();
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(socket);
      response.on('finish', () => socket.destroySoon());
      server.emit('request', request, response);
    };
    inTurn();
    // Whatever follows was meant for the tunnel.
    socket.resume();
  });
}
