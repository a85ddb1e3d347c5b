// Pauses one campaign in the middle of the run, as a person at the dashboard would, and delays flushes meanwhile.

export interface PauseParts {
  /** A campaign without filters, targeting and caps: while it runs, each event named `event` shows it. */
  campaignId: string;
  event: string;
  devices: number;
  /** Resolves when every response of the service respects the pause. */
  pause(): Promise<void>;
}

export class MidRunPause {
  readonly campaignId: string;
  readonly event: string;
  readonly #parts: PauseParts;
  #lived = 0;
  #pausing: Promise<void> | null = null;
  #inForceSince = Infinity;

  constructor(parts: PauseParts) {
    this.#parts = parts;
    this.campaignId = parts.campaignId;
    this.event = parts.event;
  }

  /** Adds the share of its days that a device has lived. After half of all days the campaign is paused. */
  noteLived(share: number): void {
    this.#lived += share;
    if (this.#pausing || this.#lived < this.#parts.devices / 2) return;
    this.#pausing = this.#parts.pause().then(() => void (this.#inForceSince = performance.now()));
    // The next `pass` reports a failure. Without this handler Node would end the process before.
    this.#pausing.catch(() => undefined);
  }

  /** Flushes wait here while the campaign is being paused, so that none begins before the pause is in force. */
  pass(): Promise<void> {
    return this.#pausing ?? Promise.resolve();
  }

  /** `moment` is a value of `performance.now()`. */
  wasInForceAt(moment: number): boolean {
    return moment >= this.#inForceSince;
  }

  get isInForce(): boolean {
    return this.#inForceSince < Infinity;
  }
}
