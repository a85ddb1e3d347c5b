// The campaigns of the applications that this process serves, in memory: read again when the database says that they changed.
import { LRUCache } from 'lru-cache';
import type { Subscription } from '../platform/notifications.ts';
import type { StoredCampaign } from './campaign.ts';
import { campaignConfig, type CampaignConfig } from './campaignConfig.ts';

export interface CampaignDirectory {
  /** The configuration at `now`, at most a second behind the database; rejects when that cannot be found out. */
  find(applicationId: string, now: Date): Promise<CampaignConfig>;
  /** Like `find`, but the last known one where the database is away; rejects only when none was ever known. */
  findRevision(applicationId: string, now: Date): Promise<string>;
  /** After a change by this process: its own next answer knows of it, before the notification is back. */
  forget(applicationId: string): void;
  stop(): Promise<void>;
}

export interface CampaignDirectoryOptions {
  read(applicationId: string, now: Date): Promise<StoredCampaign[]>;
  /** Called once, at the first question. */
  subscribe(handlers: { onNotification(applicationId: string): void; onListening(): void }): Subscription;
}

const rememberedApplications = 1_000;
/** Without notifications, an answer is this old at most. */
const unheardMillis = 1_000;
/** With them, too: a pooler in transaction mode takes LISTEN and hands no notification on. */
const heardMillis = 30_000;

interface Entry {
  /** The last that was read; `readAt` is when reading began, on the process's own steady clock. */
  known: { configAt: (now: Date) => CampaignConfig; readAt: number } | null;
  /** False from the moment that the database tells of a change. */
  current: boolean;
  /** Requests that find nothing current share one reading. */
  reading: Promise<(now: Date) => CampaignConfig> | null;
}

export function createCampaignDirectory({ read, subscribe }: CampaignDirectoryOptions): CampaignDirectory {
  const entries = new LRUCache<string, Entry>({ max: rememberedApplications });
  let subscription: Subscription | null = null;
  const forget = (applicationId: string): void => outdate(entries.get(applicationId));
  const start = (): Subscription =>
    subscribe({ onNotification: forget, onListening: () => [...entries.values()].forEach(outdate) });

  const entryOf = (applicationId: string): Entry => {
    subscription ??= start();
    const entry = entries.get(applicationId) ?? { known: null, current: false, reading: null };
    entries.set(applicationId, entry);
    return entry;
  };
  const find = async (entry: Entry, applicationId: string, now: Date): Promise<CampaignConfig> => {
    if (entry.known && isFresh(entry, subscription!.live())) return entry.known.configAt(now);
    entry.reading ??= readInto(entry, () => read(applicationId, now));
    return (await entry.reading)(now);
  };
  return {
    find: (applicationId, now) => find(entryOf(applicationId), applicationId, now),
    async findRevision(applicationId, now) {
      const entry = entryOf(applicationId);
      try {
        return (await find(entry, applicationId, now)).revision;
      } catch (error) {
        if (!entry.known) throw error;
        return entry.known.configAt(now).revision;
      }
    },
    forget,
    stop: async () => subscription?.stop(),
  };
}

function isFresh({ known, current }: Entry, heard: boolean): boolean {
  return current && performance.now() - known!.readAt <= (heard ? heardMillis : unheardMillis);
}

/** A reading under way may have missed the change: it answers those who wait for it, and nobody who comes later. */
function outdate(entry: Entry | undefined): void {
  if (!entry) return;
  entry.current = false;
  entry.reading = null;
}

function readInto(entry: Entry, read: () => Promise<StoredCampaign[]>): Promise<(now: Date) => CampaignConfig> {
  const readAt = performance.now();
  const reading = read().then(
    (stored) => {
      const known = { configAt: rememberUntilBoundary(stored), readAt };
      if (!entry.known || entry.known.readAt < readAt) entry.known = known;
      if (entry.reading === reading) Object.assign(entry, { current: true, reading: null });
      return known.configAt;
    },
    (error: unknown) => {
      if (entry.reading === reading) entry.reading = null;
      throw error;
    },
  );
  return reading;
}

/** One configuration holds until a campaign starts or ends by the clock; a clock that was set back asks anew as well. */
function rememberUntilBoundary(stored: StoredCampaign[]): (now: Date) => CampaignConfig {
  let config: CampaignConfig | null = null;
  return (now) => {
    if (!config || now.getTime() < config.from || now.getTime() >= config.until) config = campaignConfig(stored, now);
    return config;
  };
}
