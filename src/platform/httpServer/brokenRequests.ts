// Responds to requests that the HTTP parser refuses, in their turn. What follows on the connection is not used.
import { IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { endSoon, type LastRequests } from './lastRequests.ts';

interface ParserError extends NodeJS.ErrnoException {
  /** The packet that was being read, and how many of its bytes were parsed. */
  rawPacket?: Buffer;
  bytesParsed?: number;
}

/**
 * Earlier requests of the connection get their responses first: a 400 in their place would tell a client to drop data that
 * is being stored. A request whose body breaks off after its response must not get a second response.
 */
export function refuseBrokenRequests(server: Server, last: LastRequests): void {
  const refused = new WeakSet<Socket>();
  server.on('clientError', (error: ParserError, socket: Socket) => {
    // The parser reports the error again for each further packet.
    if (refused.has(socket)) return;
    refused.add(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const unknown = requestOfUnknownMethod(error, socket);
    if (unknown) return last.handOver(unknown, socket);
    const inTurn = (): void => {
      const latest = last.latest(socket);
      const isBroken = latest && !latest.req.complete;
      if (!isBroken) return last.afterAnswers(socket, () => refuse(socket, error));
      if (latest.writableEnded) return last.afterAnswers(socket, () => endSoon(socket));
      // The response waits for an earlier one.
      if (!latest.socket) return void latest.once('socket', inTurn);
      if (latest.headersSent) endSoon(socket);
      else refuse(socket, error);
    };
    inTurn();
  });
}

/**
 * The parser accepts only a list of methods, where RFC 9110 (9.1) allows any token. A method outside the list has no route
 * and gets the 404 of every unrouted request. Headers and method name are not used: the end of an earlier body may look like
 * a part of the name, and even make it a routed method. A request line in more than one packet gets 400.
 */
function requestOfUnknownMethod({ code, rawPacket, bytesParsed = 0 }: ParserError, socket: Socket) {
  if (code !== 'HPE_INVALID_METHOD' || !rawPacket) return null;
  // The parser stops inside the method or after it.
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

/** No request object exists here. The response has a Date, like every response. */
function refuse(socket: Socket, { code }: NodeJS.ErrnoException): void {
  const status = code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request';
  const date = new Date().toUTCString();
  socket.write(`HTTP/1.1 ${status}\r\nDate: ${date}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  endSoon(socket);
}
