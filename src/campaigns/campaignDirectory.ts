// Campaigns in memory, by application. The process reads them again when the database notifies a change.
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { components } from '../../generated/openapi.ts';
import type { Subscription } from '../platform/database/notifications.ts';
import { boundariesOf, deliveredCampaign, isPublished, stateAt, type StoredCampaign } from './campaignRecord.ts';

export interface CampaignDirectory {
  /** The configuration at `now`, at most a second behind the database; rejects when the database cannot be read. */
  find(applicationId: string, now: Date): Promise<CampaignConfig>;
  /** Like `find`, but gives the last known configuration soon when the database is away or slow; rejects only when none is known. */
  findRevision(applicationId: string, now: Date): Promise<string>;
  /** Called after a change by this process, so that its next response shows the change before the notification arrives. */
  forget(applicationId: string): void;
  stop(): Promise<void>;
}

interface CampaignDirectoryOptions {
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

/** The campaigns of one application: their age, and one read that all waiting requests share. */
class RememberedCampaigns {
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

type Campaign = components['schemas']['Campaign'];

/** What devices fetch: the campaigns of an application at an instant. Valid for every instant in `from` ≤ now < `until`, in Unix milliseconds. */
export interface CampaignConfig {
  /** Of the whole configuration. A device's query does not change it. */
  revision: string;
  /** Highest priority first, then by id. */
  campaigns: WrittenCampaign[];
  /** The JSON of these campaigns, and of others that devices do not get now. */
  bytes: Buffer;
  from: number;
  until: number;
}

type Configure = (now: Date) => CampaignConfig;

/**
 * `stored` are the campaigns of one application. Work that grows with their size is done here, once: an owner may start
 * thousands of campaigns within a minute, and all uploads wait while a configuration is made.
 */
export function campaignConfigs(stored: StoredCampaign[]): Configure {
  const prepared = stored.flatMap(prepare).sort((one, other) => byOrder(one.campaign, other.campaign));
  const { bytes, campaigns } = writtenCampaigns(prepared);
  const spansOf = prepared.map(({ spans }) => spans);
  return (now) => {
    const time = now.getTime();
    const config = { campaigns: [] as WrittenCampaign[], bytes, from: -Infinity, until: Infinity };
    const marks: string[] = [];
    for (const [index, spans] of spansOf.entries()) {
      const { from, until, mark } = spans.find((span) => time < span.until)!;
      if (from > config.from) config.from = from;
      if (until < config.until) config.until = until;
      if (mark === null) continue;
      config.campaigns.push(campaigns[index]!);
      marks.push(mark);
    }
    return { revision: `r-${digestOf(marks.join('\n'))}`, ...config };
  };
}

interface Prepared {
  campaign: Campaign;
  json: string;
  /** In order of time, from the smallest instant to the largest. */
  spans: Span[];
}

/** Between two instants at which the clock changes a campaign's state. */
interface Span {
  from: number;
  until: number;
  /** The campaign's part of the revision; null where devices do not get the campaign. */
  mark: string | null;
}

function prepare(stored: StoredCampaign): Prepared[] {
  const campaign = isPublished(stored.state) ? deliveredCampaign(stored) : null;
  if (!campaign) return [];
  // jsonb orders keys in one way, so every process makes the same text.
  const json = JSON.stringify(campaign);
  const digest = digestOf(json);
  const instants = [-Infinity, ...boundariesOf(stored).map((instant) => instant.getTime()), Infinity];
  const spans = instants.slice(1).map((until, index) => {
    const from = instants[index]!;
    const state = stateAt(stored, new Date(Math.max(from, earliest)));
    // The state belongs to it because the revision changes at `startAt` too.
    return { from, until, mark: isPublished(state) ? `${state} ${digest}` : null };
  });
  return [{ campaign, json, spans }];
}

/** The largest instant that a Date holds. */
const earliest = -8.64e15;

function byOrder(one: Campaign, other: Campaign): number {
  return other.priority - one.priority || (one.id < other.id ? -1 : 1);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** A campaign's place in the bytes of all: `start` ≤ byte < `end`. */
export interface WrittenCampaign {
  /** Beside the text, because it decides which devices get the campaign. */
  targeting: Campaign['targeting'];
  start: number;
  end: number;
}

/**
 * Written once a read: all devices get the same bytes. `json` is the text of `campaign`; `bytes` are the UTF-8 text between
 * the brackets of the list.
 */
export function writtenCampaigns(list: readonly { campaign: Campaign; json: string }[]) {
  let end = -1;
  const campaigns = list.map(({ campaign, json }) => {
    const start = end + 1;
    end = start + Buffer.byteLength(json);
    return { targeting: campaign.targeting, start, end };
  });
  return { bytes: Buffer.from(list.map(({ json }) => json).join(',')), campaigns };
}

/** The list with only these campaigns, in its order. Bytes are copied only when a campaign is left out. */
export function onlyThese(bytes: Buffer, campaigns: readonly WrittenCampaign[]): Buffer {
  const runs: { start: number; end: number }[] = [];
  for (const { start, end } of campaigns) {
    const last = runs.at(-1);
    if (last && last.end + 1 === start) last.end = end;
    else runs.push({ start, end });
  }
  const parts = runs.map(({ start, end }) => bytes.subarray(start, end));
  if (parts.length === 1) return parts[0]!;
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [comma, part])));
}

const comma = Buffer.from(',');
