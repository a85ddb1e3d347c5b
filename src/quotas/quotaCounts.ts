// Counts the use of quotas in memory, and settles it with the other processes in the database every two seconds.
import type { Log } from '../platform/observability/log.ts';
import { CountedUse, type Settled, type Unsettled } from './countedUse.ts';
import {
  quotaOf,
  units,
  usedShare,
  type Quota,
  type QuotaOwner,
  type QuotaSettings,
  type Unit,
  type Use,
} from './quota.ts';

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
