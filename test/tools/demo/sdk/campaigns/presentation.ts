// Resolves a blocking action exactly once: openapi.yaml, getCampaigns, "Action".
import type { Resolution } from '../systemEvents.ts';
import type { Campaign } from '../wire.ts';

export type Presented = 'Completed' | 'Dismissed' | 'Unavailable';

/**
 * Shows the actions of one type. The app registers a presenter for each type that it knows. The presenter calls `done`
 * once, with `Unavailable` when it cannot proceed. For an action that is not blocking, `done` has no effect.
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

  /** Stops waiting. When the process ends, the action stays unresolved. */
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
