// An HTTP server that can be drained, for the public and the private listener.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as TcpServer, type Socket } from 'node:net';

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

export async function listen(app: RequestListener, { port, host }: { port: number; host: string }): Promise<Listener> {
  const server = createServer(
    { headersTimeout, requestTimeout, connectionsCheckingInterval, keepAliveTimeout: 65_000 },
    // The parser delivers the rest of a packet although the connection has been closed.
    (request, response) => request.socket.destroyed || app(request, response),
  );
  // The bytes of headers are bounded anyway. Node would silently drop headers after the thousandth, perhaps a signature.
  server.maxHeadersCount = 0;
  const underWay = watchResponses(server);
  refuseUnreadable(server, underWay);
  // Node's own response is 417. An unknown expectation is ignored, like every unknown header.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog }, resolve);
  });
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { url: `http://${name}:${address.port}`, drain: (graceMillis) => drain(server, underWay, graceMillis) };
}

const latest = Symbol('latest response');
/** Knows the response to the latest request whose head was read. A WeakMap would cost each garbage collection a visit. */
type Followed = Socket & { [latest]?: ServerResponse | undefined };

/**
 * The responses that are not closed yet, in an array (`removeFromArray`). While a response waits for an earlier one of its
 * connection, Node does not report that the client has gone: what is released at its close, such as its place in a queue,
 * would never be released.
 */
function watchResponses(server: Server): readonly ServerResponse[] {
  const underWay: ServerResponse[] = [];
  // One function for all, and nothing kept of a whole request: with a closure for each and the last response of each
  // connection, all of this function took a sixteenth of an upload's processor time.
  function forget(this: ServerResponse): void {
    removeFromArray(underWay, this);
    const { socket, complete }: { socket: Followed; complete: boolean } = this.req;
    if (complete && socket[latest] === this) socket[latest] = undefined;
  }
  server.prependListener('request', (request, response) => {
    const socket: Followed = request.socket;
    if (socket.destroyed) return;
    const before = socket[latest];
    socket[latest] = response;
    underWay.push(response);
    response.on('close', forget);
    if (!response.socket) before?.once('close', () => socket.destroyed && response.emit('close'));
  });
  return underWay;
}

const late = '408 Request Timeout';

/**
 * A request that Node's parser does not read. A method that it does not know has no route, and neither has CONNECT, where it
 * expects a tunnel. Where an earlier request of the connection has no response yet, the client would take this one for it,
 * and drop what is being stored: then the connection is closed after the response to the earlier one, or, where this one is
 * late, at once.
 */
function refuseUnreadable(server: Server, underWay: readonly ServerResponse[]): void {
  const isUnderWay = (socket: Followed): boolean => socket[latest] !== undefined && underWay.includes(socket[latest]);
  const refuse = (socket: Followed, status: string, body = ''): void => {
    const response = socket[latest];
    // Node no longer watches the socket of a CONNECT: a client that does not close would keep it for ever.
    const close = (): void => void socket.end(() => socket.destroy());
    // Where the body of a request breaks off or is late, the response is that request's own.
    const isOwn = response !== undefined && !response.req.complete;
    if (!socket.writable || (isOwn && (response.socket !== socket || response.headersSent)))
      return void socket.destroy();
    if (!isOwn && isUnderWay(socket)) {
      // It has had its time, and must not hold the connection for as long as the earlier request takes.
      if (status === late) return void socket.destroy();
      // The parser would report each further packet.
      socket.pause();
      return void response!.once('close', close);
    }
    const headers = body === '' ? '' : headersOfBody();
    const head = `HTTP/1.1 ${status}\r\nDate: ${new Date().toUTCString()}\r\n${headers}`;
    socket.write(`${head}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    close();
  };
  const notFound = JSON.stringify({ detail: 'Not Found' });
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    // Bytes behind a request with `Connection: close`. They are not read, and its response closes the connection.
    if (code === 'HPE_CLOSED_CONNECTION' && isUnderWay(socket as Socket)) return;
    if (code === 'HPE_INVALID_METHOD') refuse(socket as Socket, '404 Not Found', notFound);
    else refuse(socket as Socket, code === 'ERR_HTTP_REQUEST_TIMEOUT' ? late : '400 Bad Request');
  });
  server.on('connect', (_request, socket) => {
    // Node has removed its own listener. An unheard error would end the process.
    socket.on('error', () => socket.destroy());
    // A drain does not know this connection any more, so it must not wait.
    if (isUnderWay(socket as Socket)) socket.destroy();
    else refuse(socket as Socket, '404 Not Found', notFound);
  });
}

/** As every response with a body has them (openapi.yaml, "Request and response bodies"). */
function headersOfBody(): string {
  const headers = {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': randomUUID(),
  };
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

async function drain(server: Server, underWay: readonly ServerResponse[], graceMillis: number): Promise<void> {
  // Not `server.close`, which first closes idle connections, and `closeIdle` must wait for some of them.
  const closed = new Promise((resolve) => TcpServer.prototype.close.call(server, resolve));
  // Node counts a connection as idle after its last response was written, and would cut off the unread rest of it.
  const closeIdle = () => underWay.some(({ writableEnded }) => writableEnded) || server.closeIdleConnections();
  // From now on each response tells its client to open its next connection elsewhere.
  const sayGoodbye = (response: ServerResponse) => response.headersSent || response.setHeader('Connection', 'close');
  for (const response of underWay) {
    sayGoodbye(response);
    response.on('close', closeIdle);
  }
  server.prependListener('request', (_request, response) => sayGoodbye(response));
  server.on('request', (_request, response) => response.on('close', closeIdle));
  closeIdle();
  const cut = setTimeout(() => server.closeAllConnections(), graceMillis);
  await closed;
  clearTimeout(cut);
}

// Bounds responses that clients do not read, in bytes together and in time, so that they cannot use up the memory.

/** The kernel keeps smaller responses. Of a connection with 16 KiB that wait, Node reads no packet of requests more. */
const smallest = 64 * 1024;

interface UnreadResponse {
  response: ServerResponse;
  bytes: number;
  timer: NodeJS.Timeout;
}

export interface SlowReaderLimits {
  /** The most bytes that are written and not yet taken by connections. Above it the connections that have waited longest are closed. */
  bytes: number;
  /** The longest time until a client has taken one response. */
  millis: number;
}

/** To be called before a response ends that may be long. */
export function limitSlowReaders(limits: SlowReaderLimits): (response: ServerResponse) => void {
  /** The oldest first. */
  const unread: UnreadResponse[] = [];
  let total = 0;
  const forget = (entry: UnreadResponse): void => {
    clearTimeout(entry.timer);
    total -= entry.bytes;
    entry.bytes = 0;
    removeFromArray(unread, entry);
  };
  const cut = (entry: UnreadResponse): void => {
    forget(entry);
    entry.response.req.socket.destroy();
  };
  const keep = (response: ServerResponse, bytes: number): void => {
    const timer = setTimeout(() => cut(entry), limits.millis);
    const entry = { response, bytes, timer };
    unread.push(entry);
    total += bytes;
    response.on('close', () => forget(entry));
    while (total > limits.bytes) cut(unread[0]!);
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

// The id of each request: the X-Request-Id of the operator's proxy, or a new one. The response and the log lines carry it.

/** The form of UUIDs and trace ids. No key, token or address has it, so none gets into the log as an id. */
const form = /^[A-Za-z0-9-]{16,64}$/;

/** Kept on the request object: each garbage collection would visit every entry of a WeakMap. */
const id = Symbol('request id');

/** Always the same id for the same request. */
export function requestIdOf(request: IncomingMessage & { [id]?: string }): string {
  return (request[id] ??= sentId(request) ?? randomUUID());
}

function sentId({ headers }: IncomingMessage): string | null {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && form.test(sent) ? sent : null;
}

// Removes an item from a list of running work that changes thousands of times a second.

/**
 * Does nothing when `item` is not in `list`. It finds the latest item first. A Set would be the obvious choice, but V8
 * makes the tables of an older Set in its old generation. Each table that the Set has outgrown keeps its requests alive
 * until V8 collects it: a tenth of an upload's processor time (docs/decisions/v8-settings.md).
 */
export function removeFromArray<Item>(list: Item[], item: Item): void {
  const position = list.lastIndexOf(item);
  if (position >= 0) list.splice(position, 1);
}
