// Campaigns in memory, by application. The process reads them again when the database notifies a change.
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Subscription } from '../platform/database/notifications.ts';
import type { CampaignConfig, Configure } from './campaignConfig.ts';
import type { StoredCampaign } from './campaignRecord.ts';
import { RememberedCampaigns } from './rememberedCampaigns.ts';

export interface CampaignDirectory {
  /** The configuration at `now`, at most a second behind the database; rejects when the database cannot be read. */
  find(applicationId: string, now: Date): Promise<CampaignConfig>;
  /** Like `find`, but gives the last known configuration soon when the database is away or slow; rejects only when none is known. */
  findRevision(applicationId: string, now: Date): Promise<string>;
  /** Called after a change by this process, so that its next response shows the change before the notification arrives. */
  forget(applicationId: string): void;
  stop(): Promise<void>;
}

export interface CampaignDirectoryOptions {
  read(applicationId: string): Promise<StoredCampaign[]>;
  /** Called once, at the first `find`. */
  subscribe(handlers: { onNotification(applicationId: string): void; onListening(): void }): Subscription;
}

const rememberedApplications = 5_000;
/** Characters of JSON of all campaigns in memory: room for eight applications of the largest size. */
const rememberedCharacters = 32 * 1024 * 1024;
/** The longest age of a configuration when notifications do not arrive. */
const unheardMillis = 1_000;
/** The longest age while they arrive: a pooler in transaction mode accepts LISTEN and delivers no notification. */
const heardMillis = 30_000;
/** How long an upload waits for a newer revision. */
const patienceMillis = 500;

export function createCampaignDirectory({ read, subscribe }: CampaignDirectoryOptions): CampaignDirectory {
  const applications = new LRUCache<string, RememberedCampaigns>({
    max: rememberedApplications,
    maxSize: rememberedCharacters,
  });
  let subscription: Subscription | null = null;
  const forget = (applicationId: string): void => applications.get(applicationId)?.outdate();
  const onListening = (): void => applications.forEach((campaigns) => campaigns.outdate());
  const remembered = (applicationId: string): RememberedCampaigns => {
    const known = applications.get(applicationId);
    if (known) return known;
    const campaigns: RememberedCampaigns = new RememberedCampaigns(async () => {
      const stored = await read(applicationId);
      // An entry that was evicted meanwhile gets no notification of a change, so it is not put back.
      const isKnown = applications.peek(applicationId) === campaigns;
      if (isKnown) applications.set(applicationId, campaigns, { size: sizeOf(stored) });
      return stored;
    });
    applications.set(applicationId, campaigns, { size: 1 });
    return campaigns;
  };
  const subscribed = () => (subscription ??= subscribe({ onNotification: forget, onListening }));
  const longestAge = (): number => (subscribed().live() ? heardMillis : unheardMillis);
  return {
    async find(applicationId, now) {
      const campaigns = remembered(applicationId);
      const age = longestAge();
      const configure = campaigns.youngerThan(age) ?? (await campaigns.readAgain(age));
      return configure(now);
    },
    async findRevision(applicationId, now) {
      const campaigns = remembered(applicationId);
      const age = longestAge();
      const configure = campaigns.youngerThan(age) ?? (await readPatiently(campaigns, age));
      return configure(now).revision;
    },
    forget,
    stop: async () => subscription?.stop(),
  };
}

/** At most the whole room: a larger entry would not be kept, and each request would read it again. */
function sizeOf(stored: StoredCampaign[]): number {
  return Math.min(JSON.stringify(stored).length, rememberedCharacters);
}

async function readPatiently(campaigns: RememberedCampaigns, age: number): Promise<Configure> {
  const { lastKnown } = campaigns;
  const reading = campaigns.readAgain(age);
  if (!lastKnown) return reading;
  return Promise.race([reading.catch(() => lastKnown), delay(patienceMillis, lastKnown, { ref: false })]);
}
