// JSON that is stored as it was read: a place in bytes, in place of the values that it stands for.

/** The UTF-8 text of one JSON value, in bytes that may hold more. */
export class JsonSlice {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  static of(text: string): JsonSlice {
    const bytes = Buffer.from(text);
    return new JsonSlice(bytes, 0, bytes.length);
  }

  /** In bytes. */
  get length(): number {
    return this.end - this.start;
  }

  toString(): string {
    return this.bytes.toString('utf8', this.start, this.end);
  }
}

/** Writes texts one behind the other into one buffer, of which each is a slice. */
export class JsonSliceWriter {
  readonly #bytes: Buffer;
  #start = 0;
  #at = 0;

  /** `size` is the room for all of them. */
  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafe(size);
  }

  byte(value: number): void {
    this.#bytes[this.#at++] = value;
  }

  /** Byte by byte: most are a few, and a Buffer's own method takes as long as forty. */
  copy(source: Buffer, start: number, end: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    for (let from = start; from < end; from++) bytes[at++] = source[from]!;
    this.#at = at;
  }

  ascii(text: string): void {
    for (let index = 0; index < text.length; index++) this.byte(text.charCodeAt(index));
  }

  /** What was written since the last slice; throws where it had no room. */
  slice(): JsonSlice {
    if (this.#at > this.#bytes.length) throw new RangeError('longer than what there was room for');
    const slice = new JsonSlice(this.#bytes, this.#start, this.#at);
    this.#start = this.#at;
    return slice;
  }
}
