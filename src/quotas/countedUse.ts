// The use of one quota as this process knows it: what the database has counted, what it has not yet, and what is under way.
import { lackingUnit, units, type Quota, type Unit, type Use } from './quota.ts';

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
