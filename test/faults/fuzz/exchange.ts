// One HTTP exchange: in memory without a socket, or with a running service on a keep-alive connection.
import { Agent, IncomingMessage, request as httpRequest, ServerResponse, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

export interface RawRequest {
  method: string;
  /** The path and the query. */
  target: string;
  headers: Record<string, string>;
  body: Buffer;
}

export interface RawResponse {
  status: number;
  headers: Record<string, string>;
  text: string;
}

export type Exchange = (request: RawRequest) => Promise<RawResponse>;

/** Calls the service's own listener with the objects that Node's parser would create. */
export function inProcess(listener: RequestListener): Exchange {
  return ({ method, target, headers, body }) =>
    new Promise((resolve, reject) => {
      const written: Buffer[] = [];
      const write = (chunk: Buffer | string, _encoding: unknown, done: () => void) => {
        written.push(Buffer.from(chunk as string));
        done();
      };
      const socket = new Duplex({ read: () => undefined, write }) as unknown as Socket;
      const request = Object.assign(new IncomingMessage(socket), {
        method,
        url: target,
        httpVersionMajor: 1,
        httpVersionMinor: 1,
      });
      Object.assign(request.headers, { host: 'localhost', 'content-length': String(body.length), ...headers });
      const response = new ServerResponse(request);
      response.assignSocket(socket);
      response.on('finish', () => {
        resolve(parsed(Buffer.concat(written)));
        // Node's server emits this event after each response.
        response.emit('close');
      });
      response.on('close', () => response.writableFinished || reject(new Error('the connection was cut')));
      request.push(body.length > 0 ? body : null);
      if (body.length > 0) request.push(null);
      request.complete = true;
      listener(request, response);
    });
}

function parsed(bytes: Buffer): RawResponse {
  const end = bytes.indexOf('\r\n\r\n');
  const [first, ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = lines.map((line) => [
    line.slice(0, line.indexOf(':')).toLowerCase(),
    line.slice(line.indexOf(':') + 2),
  ]);
  return {
    status: Number(first!.split(' ')[1]),
    headers: Object.fromEntries(headers) as Record<string, string>,
    text: bytes.toString('utf8', end + 4),
  };
}

export function overHttp(url: string): Exchange & { close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const { hostname, port } = new URL(url);
  const exchange: Exchange = ({ method, target, headers, body }) =>
    new Promise((resolve, reject) => {
      const options = {
        agent,
        hostname,
        port,
        method,
        path: target,
        headers: { ...headers, 'content-length': body.length },
      };
      const request = httpRequest(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const received = response.headers as Record<string, string>;
          resolve({ status: response.statusCode!, headers: received, text: Buffer.concat(chunks).toString('utf8') });
        });
      });
      request.on('error', reject);
      request.end(body);
    });
  return Object.assign(exchange, { close: () => agent.destroy() });
}
