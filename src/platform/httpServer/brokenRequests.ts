// What the HTTP parser refuses: it gets an answer of its own, in its turn, and nothing more is read from its connection.
import { IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { LastRequests } from './lastRequests.ts';

interface ParserError extends NodeJS.ErrnoException {
  /** What was being read, and how far it was understood. */
  rawPacket?: Buffer;
  bytesParsed?: number;
}

/**
 * Requests before the broken one are answered first, for its 400 in the place of such an answer would tell a client to
 * drop what is being stored. One whose body breaks off after its answer must not get a second one.
 */
export function refuseBrokenRequests(server: Server, last: LastRequests): void {
  const refused = new WeakSet<Socket>();
  server.on('clientError', (error: ParserError, socket: Socket) => {
    // The parser complains again about each piece that still comes.
    if (refused.has(socket)) return;
    refused.add(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const unknown = requestOfUnknownMethod(error, socket);
    if (unknown) return last.handOver(unknown, socket);
    const inTurn = (): void => {
      const latest = last.latest(socket);
      const isBroken = latest && !latest.req.complete;
      if (!isBroken) return last.afterAnswers(socket, () => socket.end(refusal(error)));
      if (latest.writableEnded) return last.afterAnswers(socket, () => socket.end());
      // It waits behind another one.
      if (!latest.socket) return void latest.once('socket', inTurn);
      socket.end(latest.headersSent ? '' : refusal(error));
    };
    inTurn();
  });
}

/**
 * The parser has a list of methods, where RFC 9110 (9.1) has any token: what is not on it has no route, and is answered
 * like everything that has none. Its headers are not read, nor is its name kept: a body before it may end in what looks
 * like a part of it, and even make it a method that has a route. A line that comes in more than one packet is given up on.
 */
function requestOfUnknownMethod({ code, rawPacket, bytesParsed = 0 }: ParserError, socket: Socket) {
  if (code !== 'HPE_INVALID_METHOD' || !rawPacket) return null;
  // The parser stops within the method or behind it.
  const begun = /[\w!#$%&'*+.^`|~-]?$/.exec(
    rawPacket.toString('latin1', Math.max(0, bytesParsed - 1), bytesParsed),
  )![0];
  const text = begun + rawPacket.toString('latin1', bytesParsed);
  const line = /^[\w!#$%&'*+.^`|~-]+ ([!-~]+) HTTP\/1\.([01])\r\n/.exec(text);
  if (!line) return null;
  const request = new IncomingMessage(socket);
  request.method = 'UNKNOWN';
  request.url = line[1];
  [request.httpVersionMajor, request.httpVersionMinor] = [1, Number(line[2])];
  request.complete = true;
  return request;
}

/** It never becomes a request; it still gets a Date, like every answer. */
function refusal({ code }: NodeJS.ErrnoException): string {
  const status = code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request';
  return `HTTP/1.1 ${status}\r\nDate: ${new Date().toUTCString()}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
}
