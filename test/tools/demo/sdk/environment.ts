// The clock, random numbers, network and timers of the device, so that a test or a simulation can replace them.
// The file shows no rule of openapi.yaml.

export interface SdkEnvironment {
  /** The device's own clock in Unix milliseconds. It may be wrong: see deviceClock.ts. */
  now(): number;
  /** Milliseconds of a clock that nobody sets, from any start. Waits go by it. */
  uptime(): number;
  /** The device's current offset from UTC; positive in the east. Dates on the wire carry it. */
  utcOffsetMinutes(): number;
  /** A number uniform in [0, 1). Only the random factor of retries uses it. */
  random(): number;
  /** Cryptographically random bytes for nonces. */
  randomBytes(size: number): Uint8Array;
  /** A new UUID for a session or an event. */
  newId(): string;
  fetch(url: string, init: RequestInit): Promise<Response>;
  sleep(millis: number): Promise<void>;
  /** Starts a timer. The returned function cancels it. */
  after(millis: number, work: () => void): () => void;
  /** The version as the system writes it: `17.5.1`. */
  osVersion(): string;
  warn(message: string): void;
  /** The time of sessions and events. Leave it out: only the simulation uses it, to date them on past days. */
  eventTime?(correctedNow: number): number;
}
