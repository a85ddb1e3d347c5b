// An upload as bytes on a socket of its own, for senders that stop in the middle or send slowly.
import { connect } from 'node:net';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { json, signedHeaders, type SessionReport } from '../../support/uploads.ts';

/** The whole request. `padding` is an unknown field, which makes the body larger. */
export function requestBytes(
  { key }: { key: { public: string; secret: string } },
  report: SessionReport,
  { padding = '', gzip = false }: { padding?: string; gzip?: boolean } = {},
): Buffer {
  const plain = json({ ...report, padding });
  const body = gzip ? gzipSync(plain) : plain;
  const encoding = gzip ? { 'Content-Encoding': 'gzip' } : {};
  const headers = { ...signedHeaders(key, body), ...encoding, 'Content-Length': String(body.length) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST /api/v1/session HTTP/1.1\r\nHost: x\r\n${lines.join('')}\r\n`), body]);
}

export interface RawSender {
  write(bytes: Buffer): void;
  /** The status of the first response, or null. */
  status(): number | null;
  isClosed(): boolean;
  hangUp(): void;
}

export async function openSender(url: string): Promise<RawSender> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let received = '';
  let closed = false;
  socket.setEncoding('latin1').on('data', (text: string) => void (received += text));
  socket.on('error', () => undefined);
  socket.on('close', () => void (closed = true));
  await once(socket, 'connect');
  return {
    write: (bytes) => void (closed || socket.write(bytes)),
    status: () => (received === '' ? null : Number(received.slice(9, 12))),
    isClosed: () => closed,
    hangUp: () => void socket.destroy(),
  };
}
