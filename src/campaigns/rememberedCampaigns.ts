// The campaigns of one application in this process's memory: their age, and one read that all waiting requests share.
import { campaignConfigs, type CampaignConfig, type Configure } from './campaignConfig.ts';
import type { StoredCampaign } from './campaignRecord.ts';

export class RememberedCampaigns {
  readonly #read: () => Promise<StoredCampaign[]>;
  /** The last result, also when it is out of date. */
  #known: { configure: Configure; readAt: number } | null = null;
  /** False as soon as the database notifies a change. */
  #current = false;
  #reading: { configure: Promise<Configure>; since: number } | null = null;

  constructor(read: () => Promise<StoredCampaign[]>) {
    this.#read = read;
  }

  get lastKnown(): Configure | null {
    return this.#known?.configure ?? null;
  }

  /** The result. Null when a change is known, or when the read began longer ago than this. */
  youngerThan(millis: number): Configure | null {
    const known = this.#current ? this.#known : null;
    return known && performance.now() - known.readAt <= millis ? known.configure : null;
  }

  /** A read that has begun may have missed the change. It serves the requests that wait for it, and no later request. */
  outdate(): void {
    this.#current = false;
    this.#reading = null;
  }

  /** Joins a read that began at most this long ago, or begins another. */
  readAgain(millis: number): Promise<Configure> {
    const since = performance.now();
    if (this.#reading && since - this.#reading.since <= millis) return this.#reading.configure;
    const isLatest = () => this.#reading === reading;
    const configure = this.#read()
      .then((stored) => {
        const configure = rememberUntilBoundary(campaignConfigs(stored));
        // Two reads may end in the other order: a later read is never replaced by an earlier one.
        if (!this.#known || this.#known.readAt < since) this.#known = { configure, readAt: since };
        if (isLatest()) this.#current = true;
        return configure;
      })
      .finally(() => {
        if (isLatest()) this.#reading = null;
      });
    const reading = { configure, since };
    this.#reading = reading;
    return configure;
  }
}

/** A configuration is valid until a campaign starts or ends by the clock. A clock that was set back also leads to a new one. */
function rememberUntilBoundary(configure: Configure): Configure {
  let config: CampaignConfig | null = null;
  return (now) => {
    if (!config || now.getTime() < config.from || now.getTime() >= config.until) config = configure(now);
    return config;
  };
}
