// What the HTTP parser refuses: it gets an answer of its own, in its turn, and nothing more is read from its connection.
import { IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { LastRequests } from './lastRequests.ts';

interface ParserError extends NodeJS.ErrnoException {
  /** What was being read, and how far it was understood. */
  rawPacket?: Buffer;
  bytesParsed?: number;
}

/**
 * Requests that came whole before the broken one are answered first: its 400 in their place would tell a client to drop
 * what is being stored. `unanswered` holds the responses under way, of all connections.
 */
export function refuseBrokenRequests(
  server: Server,
  { unanswered, last }: { unanswered: readonly ServerResponse[]; last: LastRequests },
): void {
  const refused = new WeakSet<Socket>();
  server.on('clientError', (error: ParserError, socket: Socket) => {
    // The parser complains again about each piece that still comes.
    if (refused.has(socket)) return;
    refused.add(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const unknown = requestOfUnknownMethod(error, socket);
    if (unknown) return last.handOver(unknown, socket);
    const inTurn = (): void => {
      const earlier = unanswered.find(({ req }) => req.socket === socket && req.complete);
      if (earlier) return void earlier.once('close', inTurn);
      // A request whose body breaks off after its answer must not get a second one.
      const own = last.latest(socket);
      socket.end(own && !own.req.complete && own.headersSent ? '' : refusal(error));
    };
    inTurn();
  });
}

/**
 * The parser has a list of methods, where RFC 9110 (9.1) has any token: what is not on it has no route, and is answered
 * like everything that has none. Its headers are not read.
 */
function requestOfUnknownMethod({ code, rawPacket, bytesParsed = 0 }: ParserError, socket: Socket) {
  if (code !== 'HPE_INVALID_METHOD' || !rawPacket) return null;
  // It stops within the method. No method that it knows is longer than this, so what it took for one is not either.
  const begun = /[\w!#$%&'*+.^`|~-]*$/.exec(rawPacket.toString('latin1', Math.max(0, bytesParsed - 16), bytesParsed));
  const text = rawPacket.toString('latin1', bytesParsed - begun![0].length);
  const line = /^([\w!#$%&'*+.^`|~-]+) ([!-~]+) HTTP\/1\.([01])\r\n/.exec(text);
  if (!line) return null;
  const request = new IncomingMessage(socket);
  [, request.method, request.url] = line;
  [request.httpVersionMajor, request.httpVersionMinor] = [1, Number(line[3])];
  request.complete = true;
  return request;
}

/** It never becomes a request; it still gets a Date, like every answer. */
function refusal({ code }: NodeJS.ErrnoException): string {
  const status = code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request';
  return `HTTP/1.1 ${status}\r\nDate: ${new Date().toUTCString()}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
}
