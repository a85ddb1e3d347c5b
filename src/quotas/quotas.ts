// Admits requests within the quotas of their application, and counts what they add (openapi.yaml, "Quotas").
import { AppError } from '../platform/errors.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Metrics } from '../platform/observability/metrics.ts';

export interface UnsignedRequest extends QuotaOwner {
  deviceKey: string;
  /** The most that it may add. */
  bytes: number;
}

/** What becomes of a request: `uncounted` where a signed upload has reported its device. */
export type Admission = 'uncounted' | 'refused' | Counted;

/** An admitted request of which the use is counted. */
export interface Counted {
  /** What is reserved for it. */
  most: Use;
  /** Call it after COMMIT, also where the client has its response already. */
  added(use: Use): void;
  /** Call it at the end of the request, whatever came of it. */
  leave(): void;
}

export interface Quotas {
  readonly quota: QuotaSettings;
  /** For each request, in the order given, with one look-up for all. Call it after the bodies are checked. */
  admit(requests: readonly UnsignedRequest[]): Promise<Admission[]>;
  /**
   * The same for uploads, whose store tells afterwards what they have added and to which devices. While the quotas have
   * room for all that they may add, no device is looked up, and all uploads of one application have one admission.
   */
  admitUploads(requests: readonly UnsignedRequest[]): Promise<Admission[]>;
  /** Whether the quota of its application refuses a signed upload. It looks nothing up: call it before the body is read. */
  refusesSigned(applicationId: string): boolean;
  /** Counts what a signed upload has brought. Call it after COMMIT. */
  addSigned(applicationId: string, bytes: number): void;
  /** Those of the devices that have sent nothing else. Call it after COMMIT: it never rejects, and says "all" without the database. */
  withoutReports(deviceKeys: readonly string[]): Promise<ReadonlySet<string>>;
  flush(): Promise<void>;
  stop(): Promise<void>;
}

export interface QuotasOptions extends QuotaCountsOptions {
  /** In the order given. */
  findStandings(deviceKeys: readonly string[]): Promise<Standing[]>;
  /** Those that have sent attribution or transactions. */
  findReporters(deviceKeys: readonly string[]): Promise<ReadonlySet<string>>;
  metrics: Pick<Metrics, 'quotaRefused' | 'quotaUsed' | 'observeQuota' | 'observeGrowth'>;
}

export function createQuotas(options: QuotasOptions): Quotas {
  const { quota, findStandings, findReporters, log, metrics } = options;
  if ([quota.bytes, quota.devices, quota.signedBytes].every((most) => most === null)) return noQuotas;
  const counts = new QuotaCounts(options);
  for (const operation of boundOperations)
    for (const unit of units) metrics.observeQuota({ operation, unit }, () => counts.highestShare(operation, unit));
  metrics.observeQuota({ operation: signedSessions, unit: 'bytes' }, () =>
    counts.highestShare(signedSessions, 'bytes'),
  );
  metrics.observeGrowth(() => counts.highestShares(signedSessions, shownGrowth));
  const lines = createLines(log);
  const countedOf = (owner: QuotaOwner, most: Use): Counted => ({
    most,
    added(use) {
      if (use.bytes === 0) return;
      counts.add(owner, use);
      metrics.quotaUsed(owner.operation, use);
    },
    leave: () => counts.free(owner, most),
  });
  const judge = ({ applicationId, operation, bytes }: UnsignedRequest, standing: Standing): Admission => {
    if (standing.signed) return 'uncounted';
    const owner = { applicationId, operation };
    const most = { bytes, devices: standing.known ? 0 : 1 };
    const lacking = counts.reserve(owner, most);
    if (!lacking) return countedOf(owner, most);
    metrics.quotaRefused({ operation, unit: lacking });
    lines.note({ ...owner, unit: lacking });
    return 'refused';
  };
  const admit = async (requests: readonly UnsignedRequest[]): Promise<Admission[]> => {
    const standings = await findStandings(requests.map(({ deviceKey }) => deviceKey));
    return requests.map((request, index) => judge(request, standings[index]!));
  };
  return {
    quota,
    admit,
    async admitUploads(requests) {
      const all = sumsOf(requests);
      const admitted = all.filter(({ owner, most }) => counts.reserveIfRoom(owner, most));
      if (admitted.length === all.length) {
        const shared = admitted.map(({ owner, most }) => ({ owner, counted: countedOf(owner, most) }));
        return requests.map((request) => shared.find(({ owner }) => isSame(owner, request))!.counted);
      }
      for (const { owner, most } of admitted) counts.free(owner, most);
      return admit(requests);
    },
    refusesSigned(applicationId) {
      const owner = { applicationId, operation: signedSessions } as const;
      if (!counts.refuseIfUsedUp(owner)) return false;
      metrics.quotaRefused({ operation: signedSessions, unit: 'bytes' });
      lines.note({ ...owner, unit: 'bytes' });
      return true;
    },
    addSigned(applicationId, bytes) {
      const use = { bytes, devices: 0 };
      counts.add({ applicationId, operation: signedSessions }, use);
      metrics.quotaUsed(signedSessions, use);
    },
    async withoutReports(deviceKeys) {
      if (deviceKeys.length === 0) return new Set();
      try {
        const reporters = await findReporters(deviceKeys);
        return new Set(deviceKeys.filter((key) => !reporters.has(key)));
      } catch (error) {
        log.warn({ err: error }, 'new devices were counted without a look for their reports');
        return new Set(deviceKeys);
      }
    },
    flush: () => counts.flush(),
    stop: () => counts.stop(),
  };
}

interface Sum {
  owner: QuotaOwner;
  most: Use;
}

/** What the requests of each owner may add together, if each device is new. */
function sumsOf(requests: readonly UnsignedRequest[]): Sum[] {
  const sums: Sum[] = [];
  for (const { applicationId, operation, bytes } of requests) {
    let sum = sums.find(({ owner }) => isSame(owner, { applicationId, operation }));
    if (!sum) sums.push((sum = { owner: { applicationId, operation }, most: { bytes: 0, devices: 0 } }));
    sum.most.bytes += bytes;
    sum.most.devices += 1;
  }
  return sums;
}

const isSame = (one: QuotaOwner, other: QuotaOwner): boolean =>
  one.applicationId === other.applicationId && one.operation === other.operation;

/** For a service without quotas: no request waits for a look-up of its device. */
export const noQuotas: Quotas = {
  quota: { bytes: null, devices: null, signedBytes: null },
  admit: async (requests) => requests.map(() => 'uncounted'),
  admitUploads: async (requests) => requests.map(() => 'uncounted'),
  refusesSigned: () => false,
  addSigned: () => undefined,
  withoutReports: async (deviceKeys) => new Set(deviceKeys),
  flush: async () => undefined,
  stop: async () => undefined,
};

export function overQuota(): AppError {
  return new AppError('unavailable', { retryAfterSeconds: quotaPauseSeconds() });
}

/** `store` resolves after COMMIT to the bytes that it has added. Throws `unavailable` where a quota is used up. */
export async function withinQuotas(
  quotas: Quotas,
  request: UnsignedRequest,
  store: () => Promise<number>,
): Promise<void> {
  const [admission] = await quotas.admit([request]);
  if (admission === 'refused') throw overQuota();
  const counted = admission === 'uncounted' ? undefined : admission;
  try {
    const bytes = await store();
    counted?.added({ bytes, devices: counted.most.devices });
  } finally {
    counted?.leave();
  }
}

/** A metric names the applications that have used more than a tenth of their quota, and at most five. */
const shownGrowth = { least: 0.1, count: 5 };

/** One line for each quota in ten minutes: a flood is refused thousands of times. */
function createLines(log: Pick<Log, 'warn'>) {
  const told = new Map<string, number>();
  const again = 600_000;
  return {
    note(refused: QuotaOwner & { unit: string }): void {
      const now = performance.now();
      const key = `${refused.applicationId} ${refused.operation} ${refused.unit}`;
      if (now - (told.get(key) ?? -Infinity) < again) return;
      told.set(key, now);
      if (refused.operation === signedSessions)
        log.warn(refused, 'the quota of signed uploads is used up: those of this application get 503');
      else log.warn(refused, 'a quota is used up: unsigned requests of unknown devices get 503');
    },
  };
}

// What a quota bounds: unsigned requests of devices that no signed upload has reported, and signed uploads (pure; openapi.yaml, "Quotas").

/** The operations that have quotas of unsigned requests, each its own. */
export const boundOperations = ['reportSessions', 'reportAttribution', 'reportStoreTransactions'] as const;
export type BoundOperation = (typeof boundOperations)[number];

/** Signed uploads of sessions have a quota of bytes alone. */
export const signedSessions = 'signedSessions';

/** Whose quota it is. */
export interface QuotaOwner {
  applicationId: string;
  operation: BoundOperation | typeof signedSessions;
}

export type Unit = 'bytes' | 'devices';
export const units: readonly Unit[] = ['bytes', 'devices'];
/** What requests add: bytes of rows, and device ids of which nothing was stored. */
export type Use = Record<Unit, number>;
/** In a clock hour. Null: no quota. */
export type Quota = Record<Unit, number | null>;

/** `bytes` and `devices` are those of each operation's unsigned requests. */
export interface QuotaSettings extends Quota {
  signedBytes: number | null;
}

export function quotaOf(operation: QuotaOwner['operation'], { bytes, devices, signedBytes }: QuotaSettings): Quota {
  return operation === signedSessions ? { bytes: signedBytes, devices: null } : { bytes, devices };
}

/** The unit of which `more` does not fit beside `use`; null where all of it fits. */
export function lackingUnit(use: Use, more: Use, quota: Quota): Unit | null {
  return units.find((unit) => more[unit] > 0 && use[unit] + more[unit] > (quota[unit] ?? Infinity)) ?? null;
}

/** What is stored of a device. */
export interface Standing {
  known: boolean;
  /** A signed upload has reported it. */
  signed: boolean;
}

/** From 0 to 1, and more where processes have exceeded it together. */
export function usedShare(use: Use, quota: Quota, unit: Unit): number {
  return use[unit] / (quota[unit] ?? Infinity);
}

// The `Retry-After` of a request that a quota refuses: an hour, spread at random (openapi.yaml, "Quotas").

/** Seconds, from 1,800 to 5,400: without the spread all refused devices would come back in one minute. */
export function quotaPauseSeconds(random: () => number = Math.random): number {
  return Math.round(3_600 * (0.5 + random()));
}

// Counts the use of quotas in memory, and settles it with the other processes in the database every two seconds.

export interface QuotaCountsOptions {
  quota: QuotaSettings;
  /** Adds the uses of this process, and resolves to those of all. Of a deleted application there are none. */
  settle(uses: (QuotaOwner & Unsettled)[]): Promise<(QuotaOwner & Settled)[]>;
  log: Pick<Log, 'warn'>;
  everyMillis?: number;
}

export interface Share {
  applicationId: string;
  /** Of the quota: 1 is all of it. */
  share: number;
}

/** Until then a process does not know what the others have used. */
const settleEveryMillis = 2_000;
/** Settles at once after this part of a quota: so much a process can exceed it, beside what is stored meanwhile. */
const settleAfterShare = 1 / 64;

export class QuotaCounts {
  readonly #options: QuotaCountsOptions;
  readonly #uses = new Map<string, { owner: QuotaOwner; use: CountedUse }>();
  readonly #timer: NodeJS.Timeout;
  #settling = Promise.resolve();
  #isDue = false;
  #hasFailed = false;

  constructor(options: QuotaCountsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.flush(), options.everyMillis ?? settleEveryMillis).unref();
  }

  /** The unit that is used up; null where `most` is reserved. */
  reserve(owner: QuotaOwner, most: Use): Unit | null {
    return this.#find(owner).reserve(most, this.#quotaOf(owner));
  }

  /** False, and counts no refusal, where `most` does not fit. */
  reserveIfRoom(owner: QuotaOwner, most: Use): boolean {
    return this.#find(owner).reserveIfRoom(most, this.#quotaOf(owner));
  }

  /** Counts a refusal where it is used up. */
  refuseIfUsedUp(owner: QuotaOwner): boolean {
    return this.#find(owner).refuseIfUsedUp(this.#quotaOf(owner));
  }

  free(owner: QuotaOwner, most: Use): void {
    this.#find(owner).free(most);
  }

  add(owner: QuotaOwner, added: Use): void {
    const use = this.#find(owner);
    use.add(added);
    const quota = this.#quotaOf(owner);
    if (units.some((unit) => usedShare(use.unsettled, quota, unit) > settleAfterShare)) void this.flush();
  }

  /** Of the application that has used the greatest part, as far as this process knows. */
  highestShare(operation: QuotaOwner['operation'], unit: Unit): number {
    return Math.max(0, ...this.#shares(operation, unit).map(({ share }) => share));
  }

  /** Of the applications that have used the greatest parts of a quota, those above `least`; at most `count`. */
  highestShares(operation: QuotaOwner['operation'], { least, count }: { least: number; count: number }): Share[] {
    const above = this.#shares(operation, 'bytes').filter(({ share }) => share > least);
    return above.sort((one, other) => other.share - one.share).slice(0, count);
  }

  #shares(operation: QuotaOwner['operation'], unit: Unit): Share[] {
    const own = [...this.#uses.values()].filter(({ owner }) => owner.operation === operation);
    return own.map(({ owner: { applicationId, operation: of }, use }) => ({
      applicationId,
      share: usedShare(use.used, quotaOf(of, this.#options.quota), unit),
    }));
  }

  #quotaOf({ operation }: QuotaOwner): Quota {
    return quotaOf(operation, this.#options.quota);
  }

  /** Settles what is counted so far. Never rejects. */
  flush(): Promise<void> {
    if (this.#isDue) return this.#settling;
    this.#isDue = true;
    return (this.#settling = this.#settling.then(() => this.#settle()));
  }

  stop(): Promise<void> {
    clearInterval(this.#timer);
    return this.flush();
  }

  async #settle(): Promise<void> {
    this.#isDue = false;
    for (const [key, { use }] of this.#uses) if (use.isForgettable) this.#uses.delete(key);
    const open = [...this.#uses.values()].flatMap(({ owner, use }) => {
      const sent = use.toSettle();
      return sent ? [{ owner, use, sent }] : [];
    });
    if (open.length === 0) return;
    try {
      const settled = await this.#options.settle(open.map(({ owner, sent }) => ({ ...owner, ...sent })));
      const totals = new Map(settled.map((total) => [keyOf(total), total]));
      for (const { owner, use, sent } of open) use.settle(sent, totals.get(keyOf(owner)) ?? ofNobody);
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#options.log.warn({ err: error }, 'the use of quotas could not be written');
      this.#hasFailed = true;
    }
  }

  #find(owner: QuotaOwner): CountedUse {
    const key = keyOf(owner);
    const known = this.#uses.get(key);
    if (known) return known.use;
    const use = new CountedUse();
    const { applicationId, operation } = owner;
    this.#uses.set(key, { owner: { applicationId, operation }, use });
    return use;
  }
}

const ofNobody: Settled = { bytes: 0, devices: 0, secondsLeft: 0 };

const keyOf = ({ applicationId, operation }: QuotaOwner): string => `${applicationId} ${operation}`;

// The use of one quota as this process knows it: what the database has counted, what it has not yet, and what is under way.

const nothing = (): Use => ({ bytes: 0, devices: 0 });
const smallest: Use = { bytes: 1, devices: 0 };

export interface Unsettled extends Use {
  /** Requests. */
  refused: number;
}

export interface Settled extends Use {
  /** Until the end of the hour, by the database's clock. */
  secondsLeft: number;
}

export class CountedUse {
  /** Of all processes, at the last settlement. */
  #settled = nothing();
  /** Of `performance.now()`. Then the hour is over. */
  #until = 0;
  #unsettled: Unsettled = { ...nothing(), refused: 0 };
  readonly #reserved = nothing();

  get used(): Use {
    const settled = performance.now() < this.#until ? this.#settled : nothing();
    return sum(settled, this.#unsettled);
  }

  get unsettled(): Readonly<Unsettled> {
    return this.#unsettled;
  }

  /** Nothing would be lost with it. */
  get isForgettable(): boolean {
    return performance.now() >= this.#until && this.#isSettled && this.#reserved.bytes === 0;
  }

  get #isSettled(): boolean {
    const { bytes, devices, refused } = this.#unsettled;
    return bytes + devices + refused === 0;
  }

  /** Reserves `most` for a request. Requests that run at the same time cannot exceed the quota together. */
  reserve(most: Use, quota: Quota): Unit | null {
    if (this.reserveIfRoom(most, quota)) return null;
    this.#unsettled.refused += 1;
    return this.#lacking(most, quota);
  }

  /** Whether nothing more is left of the quota. It counts a refusal then, and reserves nothing otherwise. */
  refuseIfUsedUp(quota: Quota): boolean {
    const isUsedUp = this.#lacking(smallest, quota) !== null;
    if (isUsedUp) this.#unsettled.refused += 1;
    return isUsedUp;
  }

  reserveIfRoom(most: Use, quota: Quota): boolean {
    if (this.#lacking(most, quota)) return false;
    for (const unit of units) this.#reserved[unit] += most[unit];
    return true;
  }

  #lacking(most: Use, quota: Quota): Unit | null {
    return lackingUnit(sum(this.used, this.#reserved), most, quota);
  }

  free(most: Use): void {
    for (const unit of units) this.#reserved[unit] -= most[unit];
  }

  add(use: Use): void {
    for (const unit of units) this.#unsettled[unit] += use[unit];
  }

  /** Null where there is nothing to settle. */
  toSettle(): Unsettled | null {
    return this.#isSettled ? null : { ...this.#unsettled };
  }

  /** `sent` is stored, and is part of the total. */
  settle(sent: Unsettled, { bytes, devices, secondsLeft }: Settled): void {
    for (const unit of [...units, 'refused'] as const) this.#unsettled[unit] -= sent[unit];
    this.#settled = { bytes, devices };
    this.#until = performance.now() + secondsLeft * 1_000;
  }
}

function sum(one: Use, other: Use): Use {
  return { bytes: one.bytes + other.bytes, devices: one.devices + other.devices };
}
