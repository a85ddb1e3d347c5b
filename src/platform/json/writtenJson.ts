// JSON that is written once and sent in many responses.

/** The text of a `Value` in pieces, which are sent one after the other. */
export class WrittenJson<Value> {
  readonly pieces: readonly (string | Buffer)[];
  /** Only a type: the compiler does not take the text of another type for this one. */
  declare readonly value: Value;

  constructor(pieces: readonly (string | Buffer)[]) {
    this.pieces = pieces;
  }
}
