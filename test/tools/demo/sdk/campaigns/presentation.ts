// A blocking action on its way to exactly one outcome: the presenter's word, its failure, or the deadline.
import type { Resolution } from '../systemEvents.ts';
import type { Campaign } from '../wire.ts';

export type Presented = 'Completed' | 'Dismissed' | 'Unavailable';

/**
 * Shows actions of one type; the app brings one for each type that it knows. It calls `done` once: `Unavailable` when it
 * finds that it cannot proceed. Of an action that is not blocking nobody waits for `done`.
 */
export type Presenter = (action: Campaign['action'], done: (result: Presented) => void) => void;

export interface PresentationParts {
  presenter: Presenter;
  action: Campaign['action'];
  deadlineMillis: number;
  after(millis: number, work: () => void): () => void;
  onResolved(resolution: Resolution): void;
}

export class Presentation {
  readonly #parts: PresentationParts;
  #over = false;
  #cancelDeadline = (): void => {};

  constructor(parts: PresentationParts) {
    this.#parts = parts;
  }

  start(): void {
    const { presenter, action, deadlineMillis, after } = this.#parts;
    this.#cancelDeadline = after(deadlineMillis, () => this.#resolve(unavailable('TimedOut')));
    try {
      presenter(action, (result) =>
        this.#resolve(result === 'Unavailable' ? unavailable('PresenterReported') : { result }),
      );
    } catch {
      this.#resolve(unavailable('PresenterFailed'));
    }
  }

  /** The process ends: nothing is resolved any more. */
  drop(): void {
    this.#over = true;
    this.#cancelDeadline();
  }

  #resolve(resolution: Resolution): void {
    if (this.#over) return;
    this.drop();
    this.#parts.onResolved(resolution);
  }
}

function unavailable(unavailableReason: 'TimedOut' | 'PresenterFailed' | 'PresenterReported'): Resolution {
  return { result: 'Unavailable', unavailableReason };
}
