// Somebody at the dashboard pauses one campaign in mid-run: when, and what that means for flushes.

export interface PauseParts {
  /** Of the campaign; it has no filters, no targeting and no caps, so every such event shows it while it runs. */
  campaignId: string;
  event: string;
  devices: number;
  /** Resolves when the pause is in force for every answer of the service. */
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

  /** A device has lived this share of its days; when all together have lived half of theirs, the campaign is paused. */
  noteLived(share: number): void {
    this.#lived += share;
    if (this.#pausing || this.#lived < this.#parts.devices / 2) return;
    this.#pausing = this.#parts.pause().then(() => void (this.#inForceSince = performance.now()));
    // Whoever passes next is told of a failure; until then it is not unhandled.
    this.#pausing.catch(() => undefined);
  }

  /** Flushes wait here while the pause is under way, so that each is clearly before or after it. */
  pass(): Promise<void> {
    return this.#pausing ?? Promise.resolve();
  }

  /** Of a moment by `performance.now()`. */
  wasInForceAt(moment: number): boolean {
    return moment >= this.#inForceSince;
  }

  get isInForce(): boolean {
    return this.#inForceSince < Infinity;
  }
}
