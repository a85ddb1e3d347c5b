// A request that Node's parser does not hand over by itself, given to the server as any other: the last one of its connection.
import { ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';

/** To be called when every response before it has left `socket`. */
export function answerLast(server: Server, request: IncomingMessage, socket: Socket): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.on('finish', () => socket.destroySoon());
  server.emit('request', request, response);
}
