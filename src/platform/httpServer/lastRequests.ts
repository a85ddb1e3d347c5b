// Requests that Node's parser does not hand over by itself, each the last one of its connection: given to the server as any other.
import { ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';

export interface LastRequests {
  /** The response to the latest request of the connection; none before the first. */
  latest(socket: Socket): ServerResponse | undefined;
  /** At once where nothing is under way, and otherwise when every response so far has left; never if the client has. */
  afterAnswers(socket: Socket, then: () => void): void;
  /** Hands the request over after those answers, and closes the connection behind its own. */
  handOver(request: IncomingMessage, socket: Socket): void;
}

export function lastRequests(server: Server): LastRequests {
  const begun = new WeakMap<Socket, ServerResponse>();
  server.prependListener('request', ({ socket }, response) => void begun.set(socket, response));
  const afterAnswers: LastRequests['afterAnswers'] = (socket, then) => {
    const before = begun.get(socket);
    if (before && !hasLeft(before)) before.once('close', then);
    else then();
  };
  return {
    latest: (socket) => begun.get(socket),
    afterAnswers,
    handOver(request, socket) {
      afterAnswers(socket, () => {
        if (!socket.writable) return void socket.destroy();
        const response = new ServerResponse(request);
        response.shouldKeepAlive = false;
        response.assignSocket(socket);
        response.on('finish', () => socket.destroySoon());
        server.emit('request', request, response);
      });
    },
  };
}

/** Also one that was ended at once holds its socket until it is written, and waits for it behind another one. */
function hasLeft({ socket, writableFinished }: ServerResponse): boolean {
  return socket === null && writableFinished;
}
