// JSON that was written before it is asked for: what many are answered is not written anew for each of them.

/** The text of a `Value` in pieces, to be sent one after the other. */
export class WrittenJson<Value> {
  readonly pieces: readonly (string | Buffer)[];
  /** Of the type alone: a text of another value is not taken for one of this. */
  declare readonly value: Value;

  constructor(pieces: readonly (string | Buffer)[]) {
    this.pieces = pieces;
  }
}
