// Requests that Node's parser does not hand over by itself, each the last one of its connection: given to the server as any other.
import { ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';

export interface LastRequests {
  /** The response to the latest request of the connection; none before the first. */
  latest(socket: Socket): ServerResponse | undefined;
  /** Hands the request over once every response before it has left, and closes the connection behind its answer. */
  handOver(request: IncomingMessage, socket: Socket): void;
}

export function lastRequests(server: Server): LastRequests {
  const begun = new WeakMap<Socket, ServerResponse>();
  server.prependListener('request', ({ socket }, response) => void begun.set(socket, response));
  return {
    latest: (socket) => begun.get(socket),
    handOver(request, socket) {
      const inTurn = (): void => {
        if (!socket.writable) return void socket.destroy();
        const response = new ServerResponse(request);
        response.shouldKeepAlive = false;
        response.assignSocket(socket);
        response.on('finish', () => socket.destroySoon());
        server.emit('request', request, response);
      };
      const before = begun.get(socket);
      if (before && !hasLeft(before)) before.once('close', inTurn);
      else inTurn();
    },
  };
}

/** Also one that was ended at once holds its socket until it is written, and waits for it behind another one. */
function hasLeft({ socket, writableFinished }: ServerResponse): boolean {
  return socket === null && writableFinished;
}
