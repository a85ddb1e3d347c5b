// The bytes of a body: received with one bound and inflated with another. Nothing is parsed here.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gunzip, inflate, inflateRaw, type Gunzip, type Inflate, type InflateRaw } from 'node:zlib';
import { AppError } from '../platform/errors.ts';
import type { BodyBudget } from './bodyBudget.ts';
import type { CompressedForm, ContentEncoding } from './sentForm.ts';

export const wireLimit = 2 * 1024 * 1024;
export const inflatedLimit = 8 * 1024 * 1024;
/**
 * A body may inflate to so many times its bytes, and to the free size in any case. Honest uploads reach 65
 * (docs/decisions/body-values.md).
 */
export const inflationLimit = { times: 200, freeBytes: 512 * 1024 };

/** The bytes as sent. They keep their room in the budget until `leave` is called. */
export interface SentBytes {
  bytes: Buffer;
  leave(): void;
}

export interface WireRoom {
  budget: BodyBudget;
  limit: number;
}

/**
 * Throws `too_large` as soon as more than `limit` bytes are announced or have arrived, and `unavailable` where there is
 * no room.
 */
export async function readBytes(
  request: IncomingMessage,
  response: ServerResponse,
  { budget, limit }: WireRoom,
): Promise<SentBytes> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    let isOver = false;
    const refuse = (error: Error): void => {
      isOver = true;
      chunks.length = 0;
      place.leave();
      reject(error);
    };
    const place = budget.enter((error) => {
      // The client keeps the rest: reading it and throwing it away made 200 MiB of garbage in a storm of large bodies.
      request.pause();
      response.shouldKeepAlive = false;
      refuse(error);
    });
    request.on('data', (chunk: Buffer) => {
      if (isOver) return;
      size += chunk.length;
      if (size > limit) return refuse(tooLarge(limit));
      chunks.push(chunk);
      place.grow(chunk.length);
    });
    request.on('end', () => {
      if (isOver) return;
      isOver = true;
      place.complete();
      resolve({ bytes: takeAll(chunks), leave: () => place.leave() });
    });
    // A client that hangs up causes an error (ECONNRESET) and then a close. A request that has ended closes, too, and makes
    // no error: Node records a stack for each.
    for (const end of ['error', 'close']) request.on(end, () => isOver || refuse(new ClientGone()));
  });
}

/** Empties the list: the request refers to it, and may wait long for the response to an earlier request to be read. */
function takeAll(chunks: Buffer[]): Buffer {
  const taken = chunks.splice(0);
  return taken.length === 1 ? taken[0]! : Buffer.concat(taken);
}

/** The client closed the connection before its request was whole: there is no response. */
export class ClientGone extends Error {}

/**
 * Throws `unsupported_media_type` for a media type that the service does not read. A body without `Content-Type` counts
 * as JSON.
 */
export function readEncoding({ headers }: Pick<IncomingMessage, 'headers'>): ContentEncoding {
  const type = headers['content-type'] || 'application/json';
  // The length is checked first: the pattern takes quadratic time on spaces.
  if (type.length > 256 || !/^\s*application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i.test(type)) {
    throw new AppError('unsupported_media_type', { message: 'Content-Type must be application/json in UTF-8.' });
  }
  const encoding = codingOf(headers['content-encoding']);
  if (encoding === null) {
    throw new AppError('unsupported_media_type', { message: 'Content-Encoding must be identity, gzip or deflate.' });
  }
  // Node decodes only `chunked`, and leaves the other codings of the list in the body.
  if ((headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked') {
    throw new AppError('unsupported_media_type', { message: 'Transfer-Encoding must be chunked.' });
  }
  return encoding;
}

const codings: Record<string, ContentEncoding> = { gzip: 'gzip', 'x-gzip': 'gzip', deflate: 'deflate' };

/** Null for another coding, and for two at a time. `identity` and an empty entry change nothing. */
function codingOf(header = ''): ContentEncoding | null {
  const names = header.split(',').map((name) => name.trim().toLowerCase());
  const [name, ...others] = names.filter((each) => each !== '' && each !== 'identity');
  if (name === undefined) return 'identity';
  return others.length === 0 && Object.hasOwn(codings, name) ? codings[name]! : null;
}

const inflaters = { gzip: promisify(gunzip), zlib: promisify(inflate), raw: promisify(inflateRaw) };

/** Throws `too_large`, without a byte more than allowed, or `validation_failed`. */
export async function inflateBody(bytes: Buffer, form: CompressedForm, limit = inflatedLimit): Promise<Buffer> {
  const { times, freeBytes } = inflationLimit;
  const allowed = Math.max(freeBytes, bytes.length * times);
  try {
    const read: unknown = await inflaters[form](bytes, { maxOutputLength: Math.min(limit, allowed), info: true });
    const { buffer, engine } = read as { buffer: Buffer; engine: Gunzip | Inflate | InflateRaw };
    assertEnd(bytes.subarray(engine.bytesWritten), form);
    return buffer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw limit <= allowed ? tooLarge(limit) : new AppError('too_large', { unit: 'inflation', limit: times });
    }
    const fields = [{ path: '', message: `cannot be inflated as ${form === 'gzip' ? 'gzip' : 'deflate'}` }];
    throw new AppError('validation_failed', { fields });
  }
}

/** Node ignores all bytes after the end of a deflate stream, and all bytes after a zero behind a gzip member. */
function assertEnd(rest: Buffer, form: CompressedForm): void {
  const isPadding = form === 'gzip' && rest.every((byte) => byte === 0);
  if (rest.length > 0 && !isPadding) throw new Error('more follows the end of the stream');
}

function tooLarge(limit: number): AppError {
  return new AppError('too_large', { unit: 'bytes', limit });
}
