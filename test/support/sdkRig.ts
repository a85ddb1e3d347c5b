// Runs the reference SDK on a device whose time, network and server a test controls.
import { gunzipSync } from 'node:zlib';
import type { Presenters } from '../tools/demo/sdk/campaigns/campaignRunner.ts';
import { newDeviceStore, type DeviceStore } from '../tools/demo/sdk/deviceStore.ts';
import type { SdkEnvironment } from '../tools/demo/sdk/environment.ts';
import { SdkClient } from '../tools/demo/sdk/sdkClient.ts';
import { recommendedSettings } from '../tools/demo/sdk/settings.ts';
import type { Campaign, SessionEvent, SessionReport } from '../tools/demo/sdk/wire.ts';
import { SimulatedTime } from '../tools/demo/simulation/simulatedTime.ts';

export const start = Date.parse('2026-11-21T10:00:00Z');

export interface SdkRig {
  client: SdkClient;
  store: DeviceStore;
  time: SimulatedTime;
  server: FakeServer;
  events: SessionEvent[];
  warnings: string[];
  acknowledged: string[];
  /** Starts a new process of the app over the same store. */
  restart(): SdkClient;
  /** The params of all events with that name. */
  recorded(name: string): Record<string, unknown>[];
}

export function startSdk(presenters: Presenters = {}, campaigns: Campaign[] = []): SdkRig {
  const time = new SimulatedTime(start);
  const server = new FakeServer(time, campaigns);
  const store = newDeviceStore('d-1', deviceProperties);
  const [events, warnings, acknowledged]: [SessionEvent[], string[], string[]] = [[], [], []];
  const observer = {
    onEvent: (_session: string, event: SessionEvent) => void events.push(event),
    onUpload: () => undefined,
    onAcknowledged: () => void acknowledged.push('sessions'),
    onAttribution: () => void acknowledged.push('attribution'),
    onTransactions: (ids: string[]) => void acknowledged.push(...ids),
  };
  const credentials = { baseUrl: 'http://service', publicKey: 'pub', secretKey: 'sec' };
  const environment = environmentOf(time, server, warnings);
  const options = { credentials, settings: recommendedSettings, environment, observer, presenters };
  const restart = (): SdkClient => (rig.client = new SdkClient(options, store));
  const recorded = (name: string) =>
    events
      .filter((event) => event.name === name)
      .map(({ params }) => Object.fromEntries(params.map((param) => [param.name, param.value])));
  const rig: SdkRig = {
    ...{ store, time, server, events, warnings, acknowledged, restart, recorded },
    client: new SdkClient(options, store),
  };
  return rig;
}

const deviceProperties = {
  sdkVersionNormalized: 5_002,
  osVersionNormalized: 18_001_000,
  appVersionNormalized: 2_014_003,
  appInstallVersionNormalized: 2_014_003,
  platform: 'iOS' as const,
  deviceModel: 'Phone 15',
  vendorIdentifier: 'vendor',
  installDatetime: start / 1_000,
  country: 'DE',
};

function environmentOf(time: SimulatedTime, server: FakeServer, warnings: string[]): SdkEnvironment {
  let ids = 0;
  return {
    now: () => time.now,
    uptime: () => time.now,
    utcOffsetMinutes: () => 60,
    random: () => 0.5,
    randomBytes: (size) => new Uint8Array(size).fill(7),
    newId: () => `id-${++ids}`,
    osVersion: () => '18.1',
    fetch: (url, init) => server.fetch(new URL(url), init),
    sleep: async (millis) => time.advance(millis),
    after: (millis, work) => time.after(millis, work),
    warn: (message) => void warnings.push(message),
  };
}

export interface SeenRequest {
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: string;
  /** The body, inflated. */
  json: string;
}

type Path = '/api/v1/session' | '/api/v1/attribution' | '/api/v1/tm/store' | '/api/v1/campaigns';

/** Responds 200 to every request, or as a test has queued for the path; null means no response. */
export class FakeServer {
  revision = 'r-1';
  campaigns: Campaign[];
  nextFetchSeconds = 900;
  /** The server's clock against the device's. */
  clockAheadMillis = 0;
  /** In the responses of a 503. */
  retryAfter: string | null = null;
  readonly requests: SeenRequest[] = [];
  readonly #time: SimulatedTime;
  readonly #inLine = new Map<string, (number | null)[]>();
  readonly #bodies = new Map<string, string>();

  constructor(time: SimulatedTime, campaigns: Campaign[]) {
    this.#time = time;
    this.campaigns = campaigns;
  }

  response(path: Path, statuses: (number | null)[]): void {
    this.#inLine.set(path, [...statuses]);
  }

  /** Sets the body of the responses with that status. */
  body(path: Path, status: number, body: object | string): void {
    this.#bodies.set(`${path} ${status}`, typeof body === 'string' ? body : JSON.stringify(body));
  }

  change(revision: string, campaigns: Campaign[]): void {
    Object.assign(this, { revision, campaigns });
  }

  to(path: Path): SeenRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  /** The session reports of all uploads, in order. */
  sessionReports(): SessionReport[] {
    return this.to('/api/v1/session').map(({ json }) => JSON.parse(json) as SessionReport);
  }

  async fetch({ pathname, searchParams, search }: URL, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    const body = init.body instanceof Uint8Array || typeof init.body === 'string' ? init.body.toString() : '';
    const json = headers.has('Content-Encoding') ? gunzipSync(init.body as Uint8Array).toString() : body;
    this.requests.push({ path: pathname, query: searchParams, headers, body, json });
    const status = this.#inLine.get(pathname)?.shift();
    if (status === null) throw new TypeError('fetch failed');
    const date = { Date: new Date(this.#time.now + this.clockAheadMillis).toUTCString() };
    if (status !== undefined && status !== 200) {
      const refusal = new Response(this.#bodies.get(`${pathname} ${status}`) ?? '{}', { status, headers: date });
      if (status === 503 && this.retryAfter !== null) refusal.headers.set('Retry-After', this.retryAfter);
      return refusal;
    }
    if (pathname !== '/api/v1/campaigns') {
      return new Response('{}', { headers: { ...date, 'X-Config-Revision': this.revision } });
    }
    const tag = `"${this.revision} ${search}"`;
    if (headers.get('If-None-Match') === tag)
      return new Response(null, { status: 304, headers: { ...date, ETag: tag } });
    const { revision, campaigns, nextFetchSeconds } = this;
    const config = { revision, serverTime: Math.floor(this.#time.now / 1_000), nextFetchSeconds, campaigns };
    const text = this.#bodies.get(`${pathname} 200`) ?? JSON.stringify(config);
    return new Response(text, { headers: { ...date, ETag: tag } });
  }
}

const anyVersion = { min: null, max: null };

export function deliveredCampaign(id: string, fields: Partial<Campaign> = {}): Campaign {
  return {
    id,
    name: `Campaign ${id}`,
    version: 1,
    priority: 0,
    trigger: { event: 'Opened', type: 'CUSTOM', filters: [] },
    targeting: {
      platforms: [],
      appVersion: anyVersion,
      osVersion: anyVersion,
      sdkVersion: anyVersion,
      appInstallVersion: anyVersion,
      countries: [],
      userProperties: [],
    },
    frequency: { perSession: null, perDay: null, total: null, cooldownSeconds: null },
    schedule: { startAt: null, endAt: null },
    action: { type: 'message', payload: null, blocking: false, deadlineSeconds: null },
    ...fields,
  };
}
