// The memory that request bodies may take together, so that many large or unfinished bodies cannot take all of it.
import { unavailable, type AppError } from '../platform/errors.ts';
import { takeOut } from '../platform/takeOut.ts';

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
    takeOut(this.#incomplete, body);
    body.isWhole = true;
    this.#whole.bodies += 1;
    this.#whole.bytes += body.bytes;
  }

  #free(body: Body): void {
    this.#bytes -= body.bytes;
    if (body.isWhole) {
      this.#whole.bodies -= 1;
      this.#whole.bytes -= body.bytes;
    } else takeOut(this.#incomplete, body);
    Object.assign(body, { bytes: 0, isWhole: false });
  }
}
