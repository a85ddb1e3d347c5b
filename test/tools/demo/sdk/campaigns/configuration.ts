// Decides when to fetch the campaign configuration, and keeps it on the device: openapi.yaml, getCampaigns, "Fetching".
import type { DeviceStore } from '../deviceStore.ts';
import type { Reply } from '../exchange.ts';
import type { FlushResult } from '../outbox.ts';
import { configFetchFinished, configFetchStarted, type NewEvent } from '../systemEvents.ts';
import { sendUnsigned, type RequestParts } from '../unsignedRequest.ts';
import type { CampaignConfig } from '../wire.ts';
import { isScheduled } from './schedule.ts';

export interface ConfigurationParts {
  store: DeviceStore;
  request: RequestParts;
  /** Unix milliseconds by the corrected clock. */
  now(): number;
  record(event: NewEvent): void;
}

export class Configuration {
  readonly #parts: ConfigurationParts;
  /** The session whose fetch has succeeded. */
  #fetchedFor: string | null = null;
  /** A query parameter was refused: the same request would get the same response. */
  #held = false;
  #underWay: { sessionId: string | null; done: Promise<FlushResult> } | null = null;

  constructor(parts: ConfigurationParts) {
    this.#parts = parts;
  }

  /** A fetch that an earlier session began, or null. The open session waits for its end and begins one of its own. */
  formerFetch(): Promise<FlushResult> | null {
    const isFormer = this.#underWay !== null && this.#underWay.sessionId !== this.#parts.store.openSessionId;
    return isFormer ? this.#underWay!.done : null;
  }

  /** Fetches when a fetch is due. A failed fetch keeps the held configuration in force. Overlapping calls share it. */
  fetchWhenDue(): Promise<FlushResult> {
    if (this.#underWay) return this.#underWay.done;
    if (this.#held) return Promise.resolve('held');
    if (!this.#isDue()) return Promise.resolve('sent');
    const done = this.#fetch().finally(() => (this.#underWay = null));
    this.#underWay = { sessionId: this.#parts.store.openSessionId, done };
    return done;
  }

  #isDue(): boolean {
    const { configuration: held, revisionHeard, openSessionId } = this.#parts.store;
    if (openSessionId === null) return false;
    if (!held || this.#fetchedFor !== openSessionId) return true;
    if (revisionHeard !== null && revisionHeard !== held.revision) return true;
    const age = this.#parts.now() - held.fetchedAt;
    // The age is negative when the clock was set back: the true age is then unknown.
    return age < 0 || age >= held.nextFetchSeconds * 1_000;
  }

  async #fetch(): Promise<FlushResult> {
    const { store, request, now, record } = this.#parts;
    const sessionId = store.openSessionId;
    record(configFetchStarted());
    const path = `/api/v1/campaigns?${queryOf(store).toString()}`;
    const held = store.configuration?.path === path ? store.configuration : null;
    const reply = await sendUnsigned({ path, ...(held && { headers: { 'If-None-Match': held.tag } }) }, request);
    const success = reply !== null && this.#apply(reply, path);
    if (success) this.#fetchedFor = sessionId;
    const { campaigns = [] } = store.configuration ?? {};
    const active = campaigns.filter(({ schedule }) => isScheduled(schedule, now() / 1_000));
    // The session may have ended meanwhile. The next one records the events of its own fetch only.
    if (store.openSessionId === sessionId) record(configFetchFinished(success, active));
    if (success) return 'sent';
    if (!reply) return 'unreachable';
    request.environment.warn(`no configuration came: ${reply.status} ${reply.body}`);
    this.#held = reply.status === 422;
    if (this.#held) return 'held';
    return request.exchange.refused ? 'refused' : 'unreachable';
  }

  #apply({ status, headers, body }: Reply, path: string): boolean {
    const { store, now } = this.#parts;
    const tag = headers.get('etag');
    if (status === 304 && store.configuration) {
      store.configuration.fetchedAt = now();
    } else if (status === 200 && tag !== null) {
      const config = readConfig(body);
      if (!config) return false;
      const { revision, campaigns, nextFetchSeconds } = config;
      store.configuration = { path, tag, revision, campaigns, nextFetchSeconds, fetchedAt: now() };
    } else return false;
    store.revisionHeard = null;
    return true;
  }
}

/** Null when the body is not JSON, for example when a device on the network path has written it. */
function readConfig(body: string): CampaignConfig | null {
  try {
    return JSON.parse(body) as CampaignConfig;
  } catch {
    return null;
  }
}

/** The device's facts as query parameters. An unknown country is left out. */
function queryOf({ deviceId, deviceProperties }: DeviceStore): URLSearchParams {
  const { platform, country, appVersionNormalized, osVersionNormalized, sdkVersionNormalized } = deviceProperties;
  return new URLSearchParams({
    deviceId,
    platform,
    appVersion: String(appVersionNormalized),
    osVersion: String(osVersionNormalized),
    sdkVersion: String(sdkVersionNormalized),
    ...(country && { country }),
  });
}
