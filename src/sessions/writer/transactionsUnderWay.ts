// The running transactions of uploads: which run, which one waits behind another, and which are slow.

interface Transaction {
  /** The transaction whose end it waits for. */
  predecessor: Transaction | null;
  slow: boolean;
  timer: NodeJS.Timeout | undefined;
}

export class TransactionsUnderWay {
  readonly #all = new Set<Transaction>();
  readonly #slowMillis: number;
  readonly #grewSlow: () => void;

  /** `grewSlow` is called when a transaction has run for `slowMillis`. The time that it waited behind another does not count. */
  constructor(slowMillis: number, grewSlow: () => void) {
    this.#slowMillis = slowMillis;
    this.#grewSlow = grewSlow;
  }

  /** The number of transactions that wait for no other. */
  get running(): number {
    return this.#running().length;
  }

  /** Whether each transaction that runs is slow; true, too, where none runs. */
  get allSlow(): boolean {
    return this.#running().every(({ slow }) => slow);
  }

  /** Whether another may wait behind: only one transaction is under way, and it is not slow. */
  get takesAnother(): boolean {
    return this.#all.size === 1 && !this.allSlow;
  }

  /** `work` counts as a transaction until it is over. With `behind` it waits for the only other one. */
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

  /** Called when it begins to run: from then on it may grow slow. */
  #watch(transaction: Transaction): void {
    transaction.predecessor = null;
    transaction.timer = setTimeout(() => {
      transaction.slow = true;
      this.#grewSlow();
    }, this.#slowMillis);
  }
}
