// Counts the shows on one device of the campaign paused in mid-run: allowed until its next flush, forbidden afterwards.
import type { SessionEvent } from '../sdk/wire.ts';
import type { MidRunPause } from './midRunPause.ts';

export interface PauseCounts {
  /** Shows before the pause. */
  before: number;
  /** Shows after the pause and before the device's next flush. They are allowed. */
  late: number;
  /** Shows after that flush. There must be none. */
  violations: number;
  /** Events after that flush that would have shown the campaign. */
  chances: number;
}

export const noPauseCounts = (): PauseCounts => ({ before: 0, late: 0, violations: 0, chances: 0 });

export function addPauseCounts(one: PauseCounts, other: PauseCounts): PauseCounts {
  return {
    before: one.before + other.before,
    late: one.late + other.late,
    violations: one.violations + other.violations,
    chances: one.chances + other.chances,
  };
}

export class PauseWatch {
  readonly #pause: MidRunPause;
  readonly #counts: PauseCounts;
  #flushed = false;

  /** The watch adds to `counts`. */
  constructor(pause: MidRunPause, counts: PauseCounts) {
    this.#pause = pause;
    this.#counts = counts;
  }

  /** Notes a successful flush of the running app that sent sessions. `begunAt` is a value of `performance.now()`. */
  noteFlush(begunAt: number): void {
    this.#flushed ||= this.#pause.wasInForceAt(begunAt);
  }

  noteEvent({ name, type, params }: SessionEvent): void {
    if (type === 'custom' && name === this.#pause.event && this.#flushed) this.#counts.chances += 1;
    if (name !== 'CampaignShown') return;
    if (params.find((param) => param.name === 'campaignId')?.value !== this.#pause.campaignId) return;
    if (this.#flushed) this.#counts.violations += 1;
    else if (this.#pause.isInForce) this.#counts.late += 1;
    else this.#counts.before += 1;
  }
}
