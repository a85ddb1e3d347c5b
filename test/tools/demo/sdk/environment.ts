// What the SDK takes from its device instead of reaching for it, so that a test or a simulation can stand in for time, chance and network.

export interface SdkEnvironment {
  /** The device's own clock in Unix milliseconds. It may be wrong: see deviceClock.ts. */
  now(): number;
  /** The device's offset from UTC now, east positive; dates on the wire carry it. */
  utcOffsetMinutes(): number;
  /** Uniform in [0, 1): for the jitter of retries, nothing else. */
  random(): number;
  /** Cryptographically random bytes: for nonces. */
  randomBytes(size: number): Uint8Array;
  /** A new UUID: for sessions and events. */
  newId(): string;
  fetch(url: string, init: RequestInit): Promise<Response>;
  sleep(millis: number): Promise<void>;
  /** A timer; answers how to cancel it. */
  after(millis: number, work: () => void): () => void;
  /** As the system writes it: `17.5.1`. */
  osVersion(): string;
  warn(message: string): void;
  /** The time given to sessions and events. Leave it out: only the simulation uses it, to lay them into past days. */
  eventTime?(correctedNow: number): number;
}
