// Corrects the device's clock from the `Date` of every response: openapi.yaml, "Clock correction".

export interface TimedResponse {
  /** The `Date` header. */
  date: string | null;
  /** Unix milliseconds by the device's own clock, like `receivedAt`. */
  sentAt: number;
  receivedAt: number;
}

/** The form that HTTP servers must send (RFC 9110, 5.6.7). `Date.parse` alone would also read "7" as a date. */
const httpDate = /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$/;

/** Milliseconds to add to the device's clock; null when `Date` is missing or cannot be read. */
export function clockOffset({ date, sentAt, receivedAt }: TimedResponse): number | null {
  if (date === null || !httpDate.test(date)) return null;
  const serverTime = Date.parse(date);
  return Number.isNaN(serverTime) ? null : serverTime - (sentAt + receivedAt) / 2;
}

export interface ClockState {
  /** Kept across restarts, because the clock is most likely still wrong by the same amount. */
  clockOffsetMillis: number;
  /** Whether a response has corrected the clock of this installation. */
  clockKnown: boolean;
}

/** `Date` has whole seconds, so each response gives another offset. Two events would swap places without this. */
const toleratedMillis = 2_000;

export class DeviceClock {
  readonly #device: { now(): number; warn(message: string): void };
  readonly #state: ClockState;

  constructor(device: { now(): number; warn(message: string): void }, state: ClockState) {
    this.#device = device;
    this.#state = state;
  }

  /** The corrected clock in Unix milliseconds: the best estimate of the server's time. */
  now(): number {
    return this.#device.now() + this.#state.clockOffsetMillis;
  }

  /** Returns whether the response has a readable `Date`. The old offset stays unless it differs by more than 2 s. */
  correct(response: TimedResponse): boolean {
    const offset = clockOffset(response);
    if (offset === null) {
      const found = response.date === null ? 'no Date header' : `the unreadable Date "${response.date}"`;
      this.#device.warn(`the clock was not corrected: the response has ${found}`);
      return false;
    }
    if (Math.abs(offset - this.#state.clockOffsetMillis) > toleratedMillis) this.#state.clockOffsetMillis = offset;
    this.#state.clockKnown = true;
    return true;
  }
}

/** An ISO 8601 date with the device's offset from UTC. */
export function isoDate(millis: number, utcOffsetMinutes: number): string {
  const local = new Date(millis + utcOffsetMinutes * 60_000).toISOString().slice(0, -1);
  const minutes = Math.abs(utcOffsetMinutes);
  const twoDigits = (value: number): string => String(value).padStart(2, '0');
  return `${local}${utcOffsetMinutes < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}
