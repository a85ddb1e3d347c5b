// The simulated time of one device, and the timers of its app's process.

interface Timer {
  at: number;
  work: () => void;
}

export class SimulatedTime {
  /** The right time for the device, in Unix milliseconds; its own clock may be wrong. */
  now: number;
  #timers: Timer[] = [];

  constructor(now: number) {
    this.now = now;
  }

  advance(millis: number): void {
    this.advanceTo(this.now + millis);
  }

  /** Runs each timer up to `instant` at its own moment. Time does not go back. */
  advanceTo(instant: number): void {
    for (let timer = this.#firstUntil(instant); timer; timer = this.#firstUntil(instant)) {
      this.#cancel(timer);
      this.now = Math.max(this.now, timer.at);
      timer.work();
    }
    this.now = Math.max(this.now, instant);
  }

  after(millis: number, work: () => void): () => void {
    const timer = { at: this.now + millis, work };
    this.#timers.push(timer);
    return () => this.#cancel(timer);
  }

  /** Drops all timers, because their process has ended. */
  stopTimers(): void {
    this.#timers = [];
  }

  #firstUntil(instant: number): Timer | undefined {
    const due = this.#timers.filter(({ at }) => at <= instant);
    return due.sort((one, other) => one.at - other.at)[0];
  }

  #cancel(timer: Timer): void {
    this.#timers = this.#timers.filter((other) => other !== timer);
  }
}
