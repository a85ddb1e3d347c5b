// The campaigns of the applications that this process serves, in memory: read again when the database says that they changed.
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Subscription } from '../platform/database/notifications.ts';
import type { CampaignConfig, Configure } from './campaignConfig.ts';
import type { StoredCampaign } from './campaignRecord.ts';
import { RememberedCampaigns } from './rememberedCampaigns.ts';

export interface CampaignDirectory {
  /** The configuration at `now`, at most a second behind the database; rejects when that cannot be found out. */
  find(applicationId: string, now: Date): Promise<CampaignConfig>;
  /** Like `find`, but soon the last known one where the database is away or slow; rejects only when none is known. */
  findRevision(applicationId: string, now: Date): Promise<string>;
  /** After a change by this process: its own next answer knows of it, before the notification is back. */
  forget(applicationId: string): void;
  stop(): Promise<void>;
}

export interface CampaignDirectoryOptions {
  read(applicationId: string): Promise<StoredCampaign[]>;
  /** Called once, at the first question. */
  subscribe(handlers: { onNotification(applicationId: string): void; onListening(): void }): Subscription;
}

const rememberedApplications = 5_000;
/** Of the JSON of their campaigns together: eight of the largest applications, or a great many of the usual ones. */
const rememberedCharacters = 32 * 1024 * 1024;
/** Without notifications, an answer is this old at most. */
const unheardMillis = 1_000;
/** With them, too: a pooler in transaction mode takes LISTEN and hands no notification on. */
const heardMillis = 30_000;
/** How long an upload is held up for a revision that is newer than the last known. */
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
      // One that has made room for others meanwhile hears of no change, and is not put back.
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

/** At most all there is room for: what is larger could not be remembered, and would be read again for every request. */
function sizeOf(stored: StoredCampaign[]): number {
  return Math.min(JSON.stringify(stored).length, rememberedCharacters);
}

async function readPatiently(campaigns: RememberedCampaigns, age: number): Promise<Configure> {
  const { lastKnown } = campaigns;
  const reading = campaigns.readAgain(age);
  if (!lastKnown) return reading;
  return Promise.race([reading.catch(() => lastKnown), delay(patienceMillis, lastKnown, { ref: false })]);
}
