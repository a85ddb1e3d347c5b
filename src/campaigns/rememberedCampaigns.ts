// The campaigns of one application as this process remembers them: how old they are, and one reading shared by all who wait.
import { campaignConfigs, type CampaignConfig, type Configure } from './campaignConfig.ts';
import type { StoredCampaign } from './campaignRecord.ts';

export class RememberedCampaigns {
  readonly #read: () => Promise<StoredCampaign[]>;
  /** The last that was read, also when it is out of date. */
  #known: { configure: Configure; readAt: number } | null = null;
  /** False from the moment that the database tells of a change. */
  #current = false;
  #reading: { configure: Promise<Configure>; since: number } | null = null;

  constructor(read: () => Promise<StoredCampaign[]>) {
    this.#read = read;
  }

  get lastKnown(): Configure | null {
    return this.#known?.configure ?? null;
  }

  /** What is remembered, where nothing is known to have changed and reading began at most so long ago; else null. */
  youngerThan(millis: number): Configure | null {
    const known = this.#current ? this.#known : null;
    return known && performance.now() - known.readAt <= millis ? known.configure : null;
  }

  /** A reading under way may have missed the change: it answers those who wait for it, and nobody who comes later. */
  outdate(): void {
    this.#current = false;
    this.#reading = null;
  }

  /** Shares the reading under way that began at most so long ago. */
  readAgain(millis: number): Promise<Configure> {
    const since = performance.now();
    if (this.#reading && since - this.#reading.since <= millis) return this.#reading.configure;
    const isLatest = () => this.#reading === reading;
    const configure = this.#read()
      .then((stored) => {
        const configure = rememberUntilBoundary(campaignConfigs(stored));
        // One that was overtaken is better than nothing, and worse than a later one that came back before it.
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

/** One configuration holds until a campaign starts or ends by the clock; a clock that was set back asks anew as well. */
function rememberUntilBoundary(configure: Configure): Configure {
  let config: CampaignConfig | null = null;
  return (now) => {
    if (!config || now.getTime() < config.from || now.getTime() >= config.until) config = configure(now);
    return config;
  };
}
