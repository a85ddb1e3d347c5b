// The transactions of uploads that are under way: which of them run, which one waits behind another, and which are slow.

interface Transaction {
  /** The one whose end it waits for. */
  predecessor: Transaction | null;
  slow: boolean;
  timer: NodeJS.Timeout | undefined;
}

export class TransactionsUnderWay {
  readonly #all = new Set<Transaction>();
  readonly #slowMillis: number;
  readonly #grewSlow: () => void;

  /** `grewSlow` is called when one of them has run for `slowMillis`; the time that it waited behind another does not count. */
  constructor(slowMillis: number, grewSlow: () => void) {
    this.#slowMillis = slowMillis;
    this.#grewSlow = grewSlow;
  }

  /** Those that wait for no other. */
  get running(): number {
    return this.#running().length;
  }

  /** Whether each that runs is slow: nothing else goes on. So it is where none runs. */
  get allSlow(): boolean {
    return this.#running().every(({ slow }) => slow);
  }

  /** Whether another one may wait behind: only one is under way, and it is not slow. */
  get takesAnother(): boolean {
    return this.#all.size === 1 && !this.allSlow;
  }

  /** `work` is one of them until it is over; `behind` the only one that is under way. */
  async during(work: () => Promise<void>, { behind }: { behind: boolean }): Promise<void> {
    const [predecessor = null] = behind ? this.#all : [];
    const transaction: Transaction = { predecessor, slow: false, timer: undefined };
    this.#all.add(transaction);
    if (predecessor === null) this.#watch(transaction);
    await work();
    clearTimeout(transaction.timer);
    this.#all.delete(transaction);
    for (const other of this.#all) {
      if (other.predecessor === transaction) this.#watch(other);
    }
  }

  #running(): Transaction[] {
    return [...this.#all].filter(({ predecessor }) => predecessor === null);
  }

  /** From when it runs. */
  #watch(transaction: Transaction): void {
    transaction.predecessor = null;
    transaction.timer = setTimeout(() => {
      transaction.slow = true;
      this.#grewSlow();
    }, this.#slowMillis);
  }
}
