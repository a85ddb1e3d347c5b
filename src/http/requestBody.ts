// The bytes of a body: received with one bound and inflated with another. Nothing is parsed here.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip, type Gunzip, inflate, type Inflate, inflateRaw, type InflateRaw } from 'node:zlib';
import type { Limiter } from '../platform/concurrencyLimiter.ts';
import { AppError, type FieldError, isAppError, unavailable } from '../platform/errors.ts';
import { removeFromArray } from '../platform/httpServer/httpServer.ts';
import { byteOf } from '../platform/json/jsonBytes.ts';
import { maxFields, readJson } from '../platform/json/readJson.ts';
import { unstorableText, withExactIntegers } from '../platform/json/schema.ts';
import type { BodyContract } from './publicContract.ts';

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

// From the bytes of a body to a value that has passed the contract: inflates, parses, counts and checks.

export interface ReadBody {
  value: unknown;
  /** The JSON of `value`. */
  bytes: Buffer;
}

export interface SentBody {
  bytes: Buffer;
  encoding: ContentEncoding;
  /** After inflating. Absent: the limit of all bodies. */
  maxBytes?: number | undefined;
  /** For bodies of this kind that take long to read. */
  limiter: Limiter;
  /** Throws after the client has got its response: the body is not read then. */
  assertAwaited: () => void;
  /** Called with the parsed JSON, before it is checked. */
  onValue: (value: unknown) => void;
}

/** Throws `too_large` when a count is over its limit, before any check of fields; `validation_failed` otherwise. */
export async function readBody(contract: BodyContract, sent: SentBody): Promise<ReadBody> {
  const { bytes, encoding, maxBytes, limiter, assertAwaited, onValue } = sent;
  const form = sentForm(bytes, encoding);
  assertAwaited();
  const short = await inflateShort(bytes, form);
  if (short) {
    const read = readUsual(contract, short, onValue);
    if (read) return read;
  }
  return limiter(async () => {
    assertAwaited();
    const inflated = short ?? (form === 'plain' ? bytes : await inflateBody(bytes, form, maxBytes));
    // The end of one such body begins the next: without this, all that wait would be read before any other socket.
    await setImmediate();
    assertAwaited();
    return readAnyJson(contract, inflated, onValue);
  });
}

/** Inflating so much takes less than 1 ms, and so does reading it in one pass. */
const shortBytes = 64 * 1024;
/** Reading so much in the slow way takes about 1 ms, whatever stands in it. */
const quickBytes = 8 * 1024;

/** Null for a longer body. */
async function inflateShort(bytes: Buffer, form: CompressedForm | 'plain'): Promise<Buffer | null> {
  if (bytes.length > shortBytes) return null;
  if (form === 'plain') return bytes;
  return inflateBody(bytes, form, shortBytes).catch((error: unknown) => {
    if (isAppError(error, 'too_large')) return null;
    throw error;
  });
}

/** Null for a body that must wait for the limiter: an attacker may queue those. */
function readUsual(contract: BodyContract, inflated: Buffer, onValue: SentBody['onValue']): ReadBody | null {
  const plain = contract.readPlain(inflated);
  if (plain !== undefined) {
    onValue(plain);
    return { value: plain, bytes: inflated };
  }
  return inflated.length <= quickBytes ? readAnyJson(contract, inflated, onValue) : null;
}

/** The slow way, for a body that one pass does not read. It finds every fault. */
function readAnyJson(contract: BodyContract, inflated: Buffer, onValue: SentBody['onValue']): ReadBody {
  const reading = readJson(inflated, contract);
  if (reading.fields) {
    // A client can send a smaller batch. What else is wrong with this one would take too long to find.
    if (reading.tooManyValues) throw new AppError('too_large', { unit: 'values', limit: contract.maxValues });
    throw new AppError('validation_failed', { fields: reading.fields });
  }
  onValue(reading.value);
  const { value, text, longIntegers, repeatedKeys } = reading;
  const faults = contract.isValid(value) ? null : contract.faultsOf(value);
  if (faults?.overLimit) throw new AppError('too_large', faults.overLimit);
  const unstorable = [
    ...unstorableText(text, value, contract.schema),
    ...contract.overlongObjects(text, inflated.length),
  ];
  const known = [...(faults?.fields ?? []), ...unstorable];
  const fields = onePerPath([...repeatedKeys(), ...known]);
  if (faults || fields.length > 0) throw new AppError('validation_failed', { fields: fields.slice(0, maxFields) });
  return {
    value: withExactIntegers({ bytes: inflated, value, longIntegers, schema: contract.schema }),
    bytes: inflated,
  };
}

function onePerPath(fields: FieldError[]): FieldError[] {
  const byPath = new Map<string, FieldError>();
  for (const field of fields) if (!byPath.has(field.path)) byPath.set(field.path, field);
  return [...byPath.values()];
}

// Tells how the bytes of a body are compressed, because proxies strip and change `Content-Encoding` (openapi.yaml, "Compression").

/** The coding that the headers name. */
export type ContentEncoding = 'identity' | 'gzip' | 'deflate';

/** `deflate` means zlib's format (RFC 9110, 8.4.1.2), and some clients send the raw one (RFC 1951). */
export type CompressedForm = 'gzip' | 'zlib' | 'raw';

/**
 * The bytes decide; `encoding` decides only when the bytes are ambiguous. No JSON begins as gzip or zlib does. No raw
 * stream of an object begins as JSON does: those bits would mean another first character, or tables that no encoder
 * makes.
 */
export function sentForm(bytes: Buffer, encoding: ContentEncoding): CompressedForm | 'plain' {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip';
  if (encoding === 'identity' || beginsAsObject(bytes)) return 'plain';
  if (isZlib(bytes)) return 'zlib';
  return encoding === 'gzip' ? 'gzip' : 'raw';
}

function beginsAsObject(bytes: Buffer): boolean {
  let at = 0;
  while (whiteSpace.includes(bytes[at])) at++;
  return bytes[at] === byteOf.openBrace;
}

const whiteSpace: (number | undefined)[] = [byteOf.space, byteOf.tab, byteOf.lineFeed, byteOf.carriageReturn];

/** RFC 1950, 2.2: the method is 8, and the first two bytes are a multiple of 31. A raw stream would begin with unused bits. */
function isZlib(bytes: Buffer): boolean {
  return bytes.length > 1 && (bytes[0]! & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

// The memory that request bodies may take together, so that many large or unfinished bodies cannot take all of it.

export interface BodyPlace {
  grow(bytes: number): void;
  /** The body is complete. From here on it is not refused to make room. */
  complete(): void;
  /** The body is no longer needed, with or without a response to its request. */
  leave(): void;
}

interface Body {
  bytes: number;
  isWhole: boolean;
  refuse: (error: AppError) => void;
}

export class BodyBudget {
  readonly #limit: number;
  /** The oldest first. */
  readonly #incomplete: Body[] = [];
  #bytes = 0;
  readonly #whole = { bodies: 0, bytes: 0 };

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The complete bodies that are still needed. */
  get whole(): Readonly<{ bodies: number; bytes: number }> {
    return this.#whole;
  }

  /**
   * `refuse` is called, at most once, when there is no room. The unfinished body that began first is refused, because a
   * healthy client finishes within milliseconds. When all other bodies are complete, that is the growing body.
   */
  enter(refuse: (error: AppError) => void): BodyPlace {
    const body: Body = { bytes: 0, isWhole: false, refuse };
    this.#incomplete.push(body);
    return {
      grow: (bytes) => {
        body.bytes += bytes;
        this.#bytes += bytes;
        this.#makeRoom();
      },
      complete: () => this.#complete(body),
      leave: () => this.#free(body),
    };
  }

  /** A body that has sent nothing yet is passed over: refusing it would free no byte. */
  #makeRoom(): void {
    while (this.#bytes > this.#limit) {
      const oldest = this.#incomplete.find(({ bytes }) => bytes > 0);
      if (!oldest) return;
      this.#free(oldest);
      oldest.refuse(unavailable());
    }
  }

  #complete(body: Body): void {
    removeFromArray(this.#incomplete, body);
    body.isWhole = true;
    this.#whole.bodies += 1;
    this.#whole.bytes += body.bytes;
  }

  #free(body: Body): void {
    this.#bytes -= body.bytes;
    if (body.isWhole) {
      this.#whole.bodies -= 1;
      this.#whole.bytes -= body.bytes;
    } else removeFromArray(this.#incomplete, body);
    Object.assign(body, { bytes: 0, isWhole: false });
  }
}
