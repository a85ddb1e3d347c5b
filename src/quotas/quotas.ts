// Admits unsigned requests within the quotas of their application, and counts what they add (openapi.yaml, "Quotas").
import { AppError } from '../platform/errors.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Metrics } from '../platform/observability/metrics.ts';
import {
  boundOperations,
  units,
  type AskedDevice,
  type Quota,
  type QuotaOwner,
  type Standing,
  type Use,
} from './quota.ts';
import { QuotaCounts, type QuotaCountsOptions } from './quotaCounts.ts';
import { quotaPauseSeconds } from './quotaPause.ts';

export interface UnsignedRequest extends QuotaOwner, AskedDevice {
  /** The most that it may add. */
  bytes: number;
}

/** What becomes of a request: `uncounted` where a signed upload has reported its device. */
export type Admission = 'uncounted' | 'refused' | Counted;

/** An admitted request of which the use is counted. */
export interface Counted {
  holdsState: boolean;
  /** Call it after COMMIT, also where the client has its response already. 0 for a request that added nothing. */
  added(bytes: number): void;
  /** Call it at the end of the request, whatever came of it. */
  leave(): void;
}

export interface Quotas {
  readonly quota: Quota;
  /** For each request, in the order given, with one look-up for all. Call it after the bodies are checked. */
  admit(requests: readonly UnsignedRequest[]): Promise<Admission[]>;
  flush(): Promise<void>;
  stop(): Promise<void>;
}

export interface QuotasOptions extends QuotaCountsOptions {
  /** In the order given. */
  findStandings(devices: readonly AskedDevice[]): Promise<Standing[]>;
  metrics: Pick<Metrics, 'quotaRefused' | 'quotaUsed' | 'observeQuota'>;
}

export function createQuotas(options: QuotasOptions): Quotas {
  const { quota, findStandings, log, metrics } = options;
  if (units.every((unit) => quota[unit] === null)) return noQuotas;
  const counts = new QuotaCounts(options);
  for (const operation of boundOperations)
    for (const unit of units) metrics.observeQuota({ operation, unit }, () => counts.highestShare(operation, unit));
  const lines = createLines(log);
  const admit = ({ applicationId, operation, bytes }: UnsignedRequest, standing: Standing): Admission => {
    if (standing.signed) return 'uncounted';
    const owner = { applicationId, operation };
    const devices = standing.known ? 0 : 1;
    const most = { bytes, devices };
    const lacking = counts.reserve(owner, most);
    if (lacking) {
      metrics.quotaRefused({ operation, unit: lacking });
      lines.note({ ...owner, unit: lacking });
      return 'refused';
    }
    return {
      holdsState: standing.holdsState,
      added(addedBytes) {
        if (addedBytes === 0) return;
        const use: Use = { bytes: addedBytes, devices };
        counts.add(owner, use);
        metrics.quotaUsed(operation, use);
      },
      leave: () => counts.free(owner, most),
    };
  };
  return {
    quota,
    async admit(requests) {
      const standings = await findStandings(requests);
      return requests.map((request, index) => admit(request, standings[index]!));
    },
    flush: () => counts.flush(),
    stop: () => counts.stop(),
  };
}

/** For a service without quotas: no request waits for a look-up of its device. */
export const noQuotas: Quotas = {
  quota: { bytes: null, devices: null },
  admit: async (requests) => requests.map(() => 'uncounted'),
  flush: async () => undefined,
  stop: async () => undefined,
};

export function overQuota(): AppError {
  return new AppError('unavailable', { retryAfterSeconds: quotaPauseSeconds() });
}

/** `store` resolves after COMMIT to the bytes that it has added. Throws `unavailable` where a quota is used up. */
export async function withinQuotas(
  quotas: Quotas,
  request: Omit<UnsignedRequest, 'state'>,
  store: () => Promise<number>,
): Promise<void> {
  const [admission] = await quotas.admit([{ ...request, state: null }]);
  if (admission === 'refused') throw overQuota();
  const counted = admission === 'uncounted' ? undefined : admission;
  try {
    const bytes = await store();
    counted?.added(bytes);
  } finally {
    counted?.leave();
  }
}

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
      log.warn(refused, 'a quota is used up: unsigned requests of unknown devices get 503');
    },
  };
}
