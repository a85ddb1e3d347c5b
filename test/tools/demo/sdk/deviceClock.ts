// The device's clock, corrected from the `Date` of every response (contract, "Clock correction").

export interface TimedResponse {
  /** The `Date` header. */
  date: string | null;
  /** The device's own clock, Unix milliseconds. */
  sentAt: number;
  receivedAt: number;
}

/** What HTTP servers must send. `Date.parse` alone would also take "7" for a date. */
const httpDate = /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$/;

/** Milliseconds to add to the device's clock; null when `Date` is missing or cannot be read. */
export function clockOffset({ date, sentAt, receivedAt }: TimedResponse): number | null {
  if (date === null || !httpDate.test(date)) return null;
  const serverTime = Date.parse(date);
  return Number.isNaN(serverTime) ? null : serverTime - (sentAt + receivedAt) / 2;
}

export interface ClockState {
  /** Kept across restarts: the clock is most likely still as wrong as it was. */
  clockOffsetMillis: number;
}

export class DeviceClock {
  readonly #device: { now(): number; warn(message: string): void };
  readonly #state: ClockState;

  constructor(device: { now(): number; warn(message: string): void }, state: ClockState) {
    this.#device = device;
    this.#state = state;
  }

  /** The server's time as far as it is known, in Unix milliseconds. */
  now(): number {
    return this.#device.now() + this.#state.clockOffsetMillis;
  }

  /** Answers whether the response could set the clock; if not, the old offset stays. */
  correct(response: TimedResponse): boolean {
    const offset = clockOffset(response);
    if (offset === null) {
      const found = response.date === null ? 'no Date header' : `the unreadable Date "${response.date}"`;
      this.#device.warn(`the clock was not corrected: the response has ${found}`);
      return false;
    }
    this.#state.clockOffsetMillis = offset;
    return true;
  }
}

/** ISO 8601 with the device's offset from UTC. */
export function isoDate(millis: number, utcOffsetMinutes: number): string {
  const local = new Date(millis + utcOffsetMinutes * 60_000).toISOString().slice(0, -1);
  const minutes = Math.abs(utcOffsetMinutes);
  const twoDigits = (value: number): string => String(value).padStart(2, '0');
  return `${local}${utcOffsetMinutes < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}
