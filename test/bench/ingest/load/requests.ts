// Builds requests as bytes before the clock starts, so that the generator then only writes and reads.
import { gzipSync } from 'node:zlib';
import { signatureOf } from '../../../../src/platform/signature.ts';
import { uploadSource, type SessionReport } from '../uploads.ts';
import type { LoadPlan } from './plan.ts';

export interface PreparedUpload {
  bytes: Buffer;
  sessionIds: string[];
}

export function* preparedUploads(plan: LoadPlan): Generator<PreparedUpload> {
  const source = uploadSource(plan.shape, plan);
  for (let made = 0; made < plan.uploads; made++) {
    const report = source.next();
    const body = bodyOf(report, plan);
    const signature = plan.signed ? signatureHeaders(plan.key, body, source.nonce()) : '';
    yield { bytes: request(plan, signature, body), sessionIds: report.sessions.map(({ id }) => id) };
  }
}

/** Uses gzip's fastest level, because many bodies are made: a body of 57 kB becomes 17 kB, and 16 kB at the usual level. */
function bodyOf(report: SessionReport, { gzip }: LoadPlan): Buffer {
  const plain = Buffer.from(JSON.stringify(report));
  return gzip ? gzipSync(plain, { level: 1 }) : plain;
}

function signatureHeaders(key: LoadPlan['key'], body: Buffer, nonce: string): string {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = signatureOf(key.secret, { publicKey: key.public, timestamp, nonce, body });
  return `X-Timestamp: ${timestamp}\r\nX-Nonce: ${nonce}\r\nX-Signature: ${signature}\r\n`;
}

function request({ urls, key, gzip }: LoadPlan, signature: string, body: Buffer): Buffer {
  const head =
    `POST /api/v1/session HTTP/1.1\r\nHost: ${new URL(urls[0]!).host}\r\nX-Api-Key: ${key.public}\r\n` +
    `Content-Type: application/json\r\n${gzip ? 'Content-Encoding: gzip\r\n' : ''}Content-Length: ${body.length}\r\n${signature}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}
