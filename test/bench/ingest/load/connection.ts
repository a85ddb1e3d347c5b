// One keep-alive connection of the load generator: writes prepared bytes, and reads only the necessary part of each response.
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/**
 * A client must close an idle connection before the server does (10 s without a first byte). Otherwise its next request
 * is lost.
 */
const longestIdleMillis = 5_000;

export interface Connection {
  /**
   * False after a close, after a response that announces the close, and after a pause in which the server may have
   * begun to close the connection.
   */
  isUsable(): boolean;
  /** Sends one request at a time. Rejects when the connection breaks. */
  send(request: Buffer): Promise<Response>;
  close(): void;
}

export interface Response {
  status: number;
  retryAfter: boolean;
}

export async function openConnection(url: string): Promise<Connection> {
  const socket = await opened(new URL(url));
  let waiting: { resolve: (response: Response) => void; reject: (error: Error) => void } | null = null;
  let received = '';
  let usedAt = performance.now();
  let kept = true;
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk;
    const response = wholeResponse(received);
    if (response === null) return;
    kept = !/\r\nconnection: *close\r\n/i.test(received);
    received = '';
    usedAt = performance.now();
    waiting?.resolve(response);
  });
  socket.on('error', () => undefined);
  socket.on('close', () => waiting?.reject(new Error('the connection was closed')));
  return {
    isUsable: () => kept && !socket.closed && performance.now() - usedAt < longestIdleMillis,
    send: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        if (socket.closed) reject(new Error('the connection was closed'));
        else socket.write(request);
      }),
    close: () => void socket.destroy(),
  };
}

/** The proxy of a measurement has a certificate of its own making. */
function opened({ protocol, hostname: host, port }: URL): Promise<Socket> {
  const secure = protocol === 'https:';
  return new Promise((resolve, reject) => {
    const options = { port: Number(port), host };
    const socket = secure
      ? connectTls({ ...options, rejectUnauthorized: false }).setNoDelay(true)
      : connect({ ...options, noDelay: true });
    socket.once('error', reject);
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** Null while the response is incomplete. Every server measured here sends Content-Length. */
function wholeResponse(text: string): Response | null {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? '0';
  if (text.length < end + 4 + Number(length)) return null;
  const status = Number(text.slice(9, 12));
  return { status, retryAfter: status === 503 && /\r\nretry-after: *\d/i.test(text) };
}
