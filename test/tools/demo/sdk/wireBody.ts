// Compresses a body once, so that every attempt sends the same bytes: openapi.yaml, "Request and response bodies".
import { gzipSync } from 'node:zlib';

export interface WireBody {
  bytes: Buffer<ArrayBuffer>;
  encoding: 'identity' | 'gzip';
}

export function wireBody(json: string, gzipAboveBytes: number): WireBody {
  const bytes = Buffer.from(json);
  return bytes.length > gzipAboveBytes
    ? { bytes: Buffer.from(gzipSync(bytes)), encoding: 'gzip' }
    : { bytes, encoding: 'identity' };
}

export function contentHeaders({ encoding }: WireBody): Record<string, string> {
  return { 'Content-Type': 'application/json', ...(encoding === 'gzip' ? { 'Content-Encoding': encoding } : {}) };
}
