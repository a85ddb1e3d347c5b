// Passes requests to the server that Node's parser does not deliver. Each is the last one of its connection.
import { ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';

export interface LastRequests {
  /** Another response of the connection comes without anything more to be read, or a close. */
  isFollowed(response: ServerResponse): boolean;
  /** The response to the latest request of the connection; undefined before the first. */
  latest(socket: Socket): ServerResponse | undefined;
  /** Calls back when every earlier response has been sent, and at once if there is none; never when the client has gone. */
  afterAnswers(socket: Socket, then: () => void): void;
  /** Passes the request on after the earlier responses, and closes the connection after its own response. */
  handOver(request: IncomingMessage, socket: Socket): void;
}

export function lastRequests(server: Server): LastRequests {
  const begun = new WeakMap<Socket, ServerResponse>();
  server.prependListener('request', ({ socket }, response) => void begun.set(socket, response));
  const ending = new WeakSet<Socket>();
  const afterAnswers: LastRequests['afterAnswers'] = (socket, then) => {
    ending.add(socket);
    const before = begun.get(socket);
    if (before && !hasLeft(before)) before.once('close', then);
    else then();
  };
  return {
    isFollowed: (response) => begun.get(response.req.socket) !== response || ending.has(response.req.socket),
    latest: (socket) => begun.get(socket),
    afterAnswers,
    handOver(request, socket) {
      afterAnswers(socket, () => {
        if (!socket.writable) return void socket.destroy();
        const response = new ServerResponse(request);
        response.shouldKeepAlive = false;
        response.assignSocket(socket);
        response.on('finish', () => endSoon(socket));
        server.emit('request', request, response);
      });
    },
  };
}

/** A client that goes on sending meanwhile is cut off. */
const lingerMillis = 5_000;

/**
 * The client may still be sending. A close would reset the connection, and the client might lose its responses (RFC 9112,
 * 9.6): the rest is read until the client closes.
 */
export function endSoon(socket: Socket): void {
  socket.end();
  const late = setTimeout(() => socket.destroy(), lingerMillis).unref();
  socket.once('close', () => clearTimeout(late));
}

/** A finished response holds its socket until it is written, and may still wait for an earlier response. */
function hasLeft({ socket, writableFinished }: ServerResponse): boolean {
  return socket === null && writableFinished;
}
