// A listening HTTP server that can be drained: shared by the public and the private listener.
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Server as TcpServer, type AddressInfo, type Socket } from 'node:net';
import { takeOut } from '../takeOut.ts';
import { refuseBrokenRequests } from './brokenRequests.ts';
import { answerConnect } from './connectRequests.ts';
import { lastRequests } from './lastRequests.ts';
import { boundUnreadAnswers } from './unreadAnswers.ts';

export interface Listener {
  url: string;
  /** Accepts nothing new, lets requests under way finish, and cuts what is left after the grace time. */
  drain(graceMillis: number): Promise<void>;
}

/** Node's own bounds are 60 s and 300 s: long enough for slow senders to hold every socket. */
const headersTimeout = 10_000;
const requestTimeout = 30_000;
/** Node looks every 30 s unless told, and holds senders to the bounds only then. */
const connectionsCheckingInterval = 1_000;
/**
 * Connections that the kernel may hold while this process is busy, at most (Linux: `net.core.somaxconn`). Node's 511 are
 * fewer than a storm brings, and a client of one too many believes to be connected and waits for seconds.
 */
const backlog = 4_096;
/** Requests that a connection may send before the first of them is answered; Node itself would take what a packet holds. */
const mostUnanswered = 16;
const unreadBounds = { bytes: 64 * 1024 * 1024, millis: 60_000 };

export async function listen(app: RequestListener, { port, host }: { port: number; host: string }): Promise<Listener> {
  const server = createServer(
    { headersTimeout, requestTimeout, connectionsCheckingInterval, keepAliveTimeout: 65_000 },
    // The parser hands over what is left of a packet although the connection has been cut.
    (request, response) => request.socket.destroyed || app(request, response),
  );
  // Their bytes are bounded anyway. Node would drop those beyond a thousand without a word, a signature among them.
  server.maxHeadersCount = 0;
  const unanswered: ServerResponse[] = [];
  const closeQueued = closeQueuedResponses(unanswered);
  const boundUnread = boundUnreadAnswers(unreadBounds);
  // After the app: what it has answered at once need not be remembered.
  server.on('request', ({ socket }, response) => {
    if (response.writableEnded) return;
    unanswered.push(response);
    response.on('close', () => takeOut(unanswered, response));
    boundUnread(response);
    if (response.socket) return;
    closeQueued(socket);
    if (unanswered.filter(({ req }) => req.socket === socket).length > mostUnanswered) socket.destroy();
  });
  const last = lastRequests(server);
  refuseBrokenRequests(server, last);
  const withConnect = answerConnect(server, last);
  // Node itself would answer 417: an expectation that is not known is ignored, like every header that is not.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog }, resolve);
  });
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  const underWay = { unanswered, withConnect };
  return { url: `http://${name}:${address.port}`, drain: (graceMillis) => drain(server, underWay, graceMillis) };
}

/**
 * A response that waits behind another one of its connection never hears from Node that the client has gone, and what is
 * given back when it closes, its body's place in memory among it, would be lost for good.
 */
function closeQueuedResponses(unanswered: readonly ServerResponse[]): (socket: Socket) => void {
  const watched = new WeakSet<Socket>();
  return (socket) => {
    if (watched.has(socket)) return;
    watched.add(socket);
    socket.on('close', () => {
      for (const response of unanswered.filter(({ req }) => req.socket === socket)) response.emit('close');
    });
  };
}

interface UnderWay {
  unanswered: ServerResponse[];
  withConnect: ReadonlySet<Socket>;
}

async function drain(server: Server, { unanswered, withConnect }: UnderWay, graceMillis: number): Promise<void> {
  // Not `server.close`, which begins with what `closeIdle` waits for.
  const closed = new Promise((resolve) => TcpServer.prototype.close.call(server, resolve));
  // Node counts a connection as idle once its answer was given, and would cut what the client has not yet taken of it.
  const closeIdle = () => unanswered.some(({ writableEnded }) => writableEnded) || server.closeIdleConnections();
  // An answer sent from now on tells its client to open its next connection elsewhere.
  const sayGoodbye = (response: ServerResponse) => response.headersSent || response.setHeader('Connection', 'close');
  unanswered.forEach(sayGoodbye);
  unanswered.forEach((response) => response.on('close', closeIdle));
  server.prependListener('request', (_request, response) => sayGoodbye(response));
  server.on('request', (_request, response) => response.on('close', closeIdle));
  closeIdle();
  const cut = setTimeout(() => {
    server.closeAllConnections();
    for (const socket of withConnect) socket.destroy();
  }, graceMillis);
  await closed;
  clearTimeout(cut);
}
