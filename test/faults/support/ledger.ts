// Records what was sent, what was acknowledged and what has an unknown outcome, and compares it with the database after a fault.
import type { RandomSource } from '../../tools/demo/simulation/randomSource.ts';
import { json, signedHeaders, type SessionEvent, type SessionReport } from '../../support/uploads.ts';
import { DeviceStates } from './deviceStates.ts';
import { differences } from './differences.ts';
import { randomBytesOf } from './seed.ts';
import { eventName, readStoredState, sessionName, type StoredState } from './storedState.ts';

export interface SignedUpload {
  body: Buffer;
  headers: Record<string, string>;
}

export interface Reply {
  status: number;
  body: unknown;
  /** Names are in lower case. */
  headers: Record<string, string>;
}

/** Sends one upload to the service; rejects when no complete response arrives. */
export type Transport = (upload: SignedUpload) => Promise<Reply>;

export interface Entry {
  report: SessionReport;
  body: Buffer;
  timestamp: number;
  nonce: string;
}

export interface Account {
  /** Events. */
  acknowledged: number;
  /** Acknowledged and not stored. */
  lost: number;
  /** Copies beyond the first. */
  doubled: number;
  neverSent: number;
  /** Every other difference: sessions, the state of devices, counts of campaigns, refusals. */
  problems: string[];
}

interface Key {
  public: string;
  secret: string;
}

/** Well within the 300 s of openapi.yaml, "Signature of a session request". */
const signatureGoodForSeconds = 120;
const problemsListed = 10;

export class Ledger {
  readonly #application: { id: string; key: Key };
  readonly #random: RandomSource;
  /** By eventName, whether each event is acknowledged. */
  readonly #events = new Map<string, boolean>();
  readonly #sessions = new Map<string, boolean>();
  readonly #states = new DeviceStates();
  readonly #counts = new Map<string, number>();
  readonly #unknown = new Set<Entry>();
  readonly #refusals: string[] = [];

  constructor(application: { id: string; key: Key }, random: RandomSource) {
    this.#application = application;
    this.#random = random;
  }

  get unknown(): number {
    return this.#unknown.size;
  }

  /** Called before the first byte is sent. Until a 200, it is unknown whether any part of the upload is stored. */
  record(report: SessionReport): Entry {
    const entry = { report, body: json(report), timestamp: 0, nonce: '' };
    this.#stamp(entry);
    for (const session of report.sessions) {
      const name = sessionName(report.device.id, session.id);
      this.#sessions.set(name, (this.#sessions.get(name) ?? false) || typeof session.finishDate === 'string');
      for (const event of session.events ?? []) {
        const own = eventName(report.device.id, session.id, event.id);
        if (this.#events.has(own)) continue;
        this.#events.set(own, false);
        for (const outcome of outcomesOf(event)) this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
      }
    }
    this.#unknown.add(entry);
    return entry;
  }

  #stamp(entry: Entry): void {
    Object.assign(entry, { timestamp: Math.floor(Date.now() / 1_000), nonce: this.newNonce() });
  }

  newNonce(): string {
    return randomBytesOf(this.#random, 16).toString('base64url');
  }

  /**
   * Null when no complete response arrived. Sends the same bytes under the same nonce each time, unless another nonce
   * is given.
   */
  async deliver(entry: Entry, transport: Transport, nonce = entry.nonce): Promise<Reply | null> {
    const { body, timestamp } = entry;
    const headers = signedHeaders(this.#application.key, body, { timestamp, nonce });
    this.#states.sent(entry.report, { timestamp, nonce });
    const reply = await transport({ body, headers }).catch(() => null);
    if (reply?.status === 200) this.#acknowledge(entry, nonce);
    else if (reply && reply.status < 500) this.#refusals.push(`${reply.status} ${JSON.stringify(reply.body)}`);
    return reply;
  }

  send(report: SessionReport, transport: Transport): Promise<Reply | null> {
    return this.deliver(this.record(report), transport);
  }

  /**
   * To be called once the service works again. Everything acknowledged must be stored before anything is sent again.
   * Then the unknown uploads are sent until each is acknowledged, and everything sent must be stored exactly once.
   */
  async settle(databaseUrl: string, transport: Transport): Promise<Account> {
    const before = await this.#compare(databaseUrl);
    // A state that is sent again could hide that it was lost.
    const found = [...this.#halfStored(before.stored), ...this.#states.problems(before.stored.devices)];
    const unserved = await this.#resend(transport);
    const after = await this.#compare(databaseUrl);
    const problems = [...this.#refusals, ...found, ...unserved, ...this.#problems(after.stored)];
    return {
      acknowledged: after.acknowledged,
      lost: Math.max(before.lost, after.lost),
      doubled: Math.max(before.doubled, after.doubled),
      neverSent: Math.max(before.neverSent, after.neverSent),
      problems: problems.slice(0, problemsListed),
    };
  }

  #acknowledge(entry: Entry, nonce: string): void {
    this.#unknown.delete(entry);
    this.#states.acknowledged(entry.report.device.id, nonce);
    for (const { id: session, events } of entry.report.sessions) {
      for (const { id } of events ?? []) this.#events.set(eventName(entry.report.device.id, session, id), true);
    }
  }

  /** Sends in the order of recording. A working service accepts each upload within three attempts. */
  async #resend(transport: Transport): Promise<string[]> {
    const unserved: string[] = [];
    for (const entry of [...this.#unknown]) {
      if (Math.abs(Date.now() / 1_000 - entry.timestamp) > signatureGoodForSeconds) this.#stamp(entry);
      let reply: Reply | null = null;
      for (let attempt = 1; attempt <= 3 && reply?.status !== 200; attempt++) {
        reply = await this.deliver(entry, transport);
      }
      if (reply?.status !== 200) unserved.push(`sent again after recovery: ${reply?.status ?? 'no response'}`);
    }
    return unserved;
  }

  async #compare(databaseUrl: string) {
    const stored = await readStoredState(databaseUrl, this.#application.id);
    const acknowledged = [...this.#events].flatMap(([name, known]) => (known ? [name] : []));
    const copies = [...stored.events.values()];
    return {
      stored,
      acknowledged: acknowledged.length,
      lost: acknowledged.filter((name) => !stored.events.has(name)).length,
      doubled: copies.reduce((sum, count) => sum + count - 1, 0),
      neverSent: [...stored.events.keys()].filter((name) => !this.#events.has(name)).length,
    };
  }

  /** An upload is stored whole or not at all, also when its outcome is unknown. */
  #halfStored({ events }: StoredState): string[] {
    const halves = [...this.#unknown].filter(({ report: { device, sessions } }) => {
      const names = sessions.flatMap((each) => (each.events ?? []).map(({ id }) => eventName(device.id, each.id, id)));
      // Events that another upload contained too prove nothing about this one.
      const own = names.filter((name) => this.#events.get(name) === false);
      const there = own.filter((name) => events.has(name)).length;
      return there > 0 && there < own.length;
    });
    return halves.length > 0 ? [`${halves.length} uploads were stored in part`] : [];
  }

  #problems(stored: StoredState): string[] {
    return [
      ...differences('session', this.#sessions, stored.sessions),
      ...this.#states.problems(stored.devices),
      ...differences('count', this.#counts, stored.counts),
    ];
  }
}

/** The outcomes of campaign_counts, from openapi.yaml, "What is counted", and not from the service's code. */
function outcomesOf({ name, type, params }: SessionEvent): string[] {
  if (type !== 'system') return [];
  const value = (param: string) => String(params.find((each) => each.name === param)?.value);
  if (name === 'CampaignShown') return [`${value('campaignId')} shown`];
  return name === 'CampaignResolved' ? [`${value('campaignId')} resolved:${value('result')}`] : [];
}
