// An HTTP server that can be drained, for the public and the private listener.
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Server as TcpServer, type AddressInfo, type Socket } from 'node:net';
import { takeOut } from '../takeOut.ts';
import { watchAcceptQueue } from './acceptQueue.ts';
import { refuseBrokenRequests } from './brokenRequests.ts';
import { answerConnect } from './connectRequests.ts';
import { restInTurn } from './connectionTurns.ts';
import { lastRequests } from './lastRequests.ts';
import { boundUnreadAnswers } from './unreadAnswers.ts';

export interface Listener {
  url: string;
  /** Accepts nothing new, lets running requests finish, and closes the remaining connections after the grace time. */
  drain(graceMillis: number): Promise<void>;
}

/** Node's own timeouts are 60 s and 300 s: long enough for slow senders to hold every socket. */
const headersTimeout = 10_000;
const requestTimeout = 30_000;
/** How often Node checks these timeouts. Its default is 30 s. */
const connectionsCheckingInterval = 1_000;
/**
 * The most connections that the kernel holds while this process is busy (Linux: `net.core.somaxconn`). Node's default of 511
 * is too small for a flood: one client more believes that it is connected, and waits for seconds.
 */
const backlog = 4_096;
/** Requests that a connection may send before the first response. Node itself has no limit within a packet. */
const mostUnanswered = 16;
const unreadBounds = { bytes: 64 * 1024 * 1024, millis: 60_000 };

export async function listen(app: RequestListener, { port, host }: { port: number; host: string }): Promise<Listener> {
  const server = createServer(
    { headersTimeout, requestTimeout, connectionsCheckingInterval, keepAliveTimeout: 65_000 },
    // The parser delivers the rest of a packet although the connection has been closed.
    (request, response) => request.socket.destroyed || app(request, response),
  );
  // The bytes of headers are bounded anyway. Node would silently drop headers after the thousandth, perhaps a signature.
  server.maxHeadersCount = 0;
  const unanswered: ServerResponse[] = [];
  const closeQueued = closeQueuedResponses(unanswered);
  const boundUnread = boundUnreadAnswers(unreadBounds);
  const last = lastRequests(server);
  // After the app: a request that has its response already need not be kept.
  server.on('request', (request, response) => {
    const { socket } = request;
    // A connection that closes while it rests would be reset: the client might lose the responses before.
    response.on('close', () => last.isFollowed(response) || restInTurn(response));
    if (response.writableEnded) return;
    unanswered.push(response);
    response.on('close', () => takeOut(unanswered, response));
    boundUnread(response);
    if (response.socket) return;
    closeQueued(socket);
    if (unanswered.filter(({ req }) => req.socket === socket).length > mostUnanswered) socket.destroy();
  });
  watchAcceptQueue(server);
  refuseBrokenRequests(server, last);
  const withConnect = answerConnect(server, last);
  // Node's own response is 417. An unknown expectation is ignored, like every unknown header.
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
 * While a response waits for an earlier response, Node does not report that the client has disconnected. Resources that
 * are released at its close, such as the body's share of memory, would never be released.
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
  // Not `server.close`, which first closes idle connections, and `closeIdle` must wait for some of them.
  const closed = new Promise((resolve) => TcpServer.prototype.close.call(server, resolve));
  // Node counts a connection as idle after its last response was written, and would cut off the unread rest of it.
  const closeIdle = () => unanswered.some(({ writableEnded }) => writableEnded) || server.closeIdleConnections();
  // From now on each response tells its client to open its next connection elsewhere.
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
