// Admits requests within the quotas of their application, and counts what they add (openapi.yaml, "Quotas").
import { AppError } from '../platform/errors.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Metrics } from '../platform/observability/metrics.ts';
import {
  boundOperations,
  signedSessions,
  units,
  type QuotaOwner,
  type QuotaSettings,
  type Standing,
  type Use,
} from './quota.ts';
import { QuotaCounts, type QuotaCountsOptions } from './quotaCounts.ts';
import { quotaPauseSeconds } from './quotaPause.ts';

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
