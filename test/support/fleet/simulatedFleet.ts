// Devices in simulated time that flush once a minute, with the retry rule of the reference SDK or one that ignores Retry-After.
import { Backoff, readRetryAfter } from '../../tools/demo/sdk/backoff.ts';
import { recommendedSettings } from '../../tools/demo/sdk/settings.ts';

const flushMillis = 60_000;
const { retry } = recommendedSettings;

export interface FleetClock {
  uptime(): number;
  random(): number;
}

interface RetryRule {
  /** `retryAfter` is the header of a 503; null without a response. */
  noteFailure(retryAfter: string | null): void;
  noteResponse(): void;
  remainingMillis(): number;
}

interface Kind {
  rule(clock: FleetClock): RetryRule;
  /** Of one request in one flush. */
  attempts: number;
}

const kinds = {
  /** The reference SDK as it is: openapi.yaml, "Backoff". */
  keeps: { rule: (clock) => referenceRule(clock, (header) => readRetryAfter(header, 0)), attempts: retry.attempts },
  /** The reference SDK without the header: also what a service that always says 1 gets. */
  ignores: { rule: (clock) => referenceRule(clock, () => 0), attempts: retry.attempts },
  /** No backoff either: the next attempt begins a second after the response, until the upload is stored. */
  hammers: { rule: everySecond, attempts: Infinity },
} satisfies Record<string, Kind>;

export type FleetName = keyof typeof kinds;

function referenceRule(environment: FleetClock, read: (header: string | null) => number): RetryRule {
  const backoff = new Backoff({ policy: retry, environment });
  return {
    noteFailure: (retryAfter) => backoff.noteFailure(read(retryAfter)),
    noteResponse: () => backoff.noteResponse(),
    remainingMillis: () => backoff.remainingMillis(),
  };
}

function everySecond(): RetryRule {
  let waits = 0;
  return {
    noteFailure: () => void (waits = 1_000),
    noteResponse: () => void (waits = 0),
    remainingMillis: () => waits,
  };
}

interface Device {
  rule: RetryRule;
  /** Flushes begin at this moment of each minute. */
  phase: number;
  /** Of the request under way in its flush. */
  attempt: number;
}

export class SimulatedFleet {
  readonly #devices: Device[];
  readonly #clock: FleetClock;
  readonly #attempts: number;

  constructor(count: number, name: FleetName, clock: FleetClock) {
    const { rule, attempts } = kinds[name];
    this.#clock = clock;
    this.#attempts = attempts;
    const device = (): Device => ({ rule: rule(clock), phase: clock.random() * flushMillis, attempt: 1 });
    this.#devices = Array.from({ length: count }, device);
  }

  /** The device's first request, in milliseconds. */
  firstAt(device: number): number {
    return this.#devices[device]!.phase;
  }

  /** Call it when its upload is stored. Returns the time of its next request. */
  stored(device: number): number {
    const state = this.#devices[device]!;
    state.rule.noteResponse();
    return this.#nextFlush(state);
  }

  /** Call it when it has its 503, or when it has learnt that no response comes. Returns the time of its next request. */
  failed(device: number, retryAfter: string | null): number {
    const state = this.#devices[device]!;
    state.rule.noteFailure(retryAfter);
    if (state.attempt >= this.#attempts) return this.#nextFlush(state);
    state.attempt += 1;
    return this.#clock.uptime() + state.rule.remainingMillis();
  }

  /** A flush that begins during the wait sends nothing. */
  #nextFlush(state: Device): number {
    state.attempt = 1;
    const free = this.#clock.uptime() + state.rule.remainingMillis();
    const minute = Math.floor((free - state.phase) / flushMillis) + 1;
    return state.phase + minute * flushMillis;
  }
}
