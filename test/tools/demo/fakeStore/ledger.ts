// What the fake store has sold: it responds for each transaction, for the status of each line, and with its history.
import type { FakeResponse, HistoryResponse } from './fakeStore.ts';
import { originalId, type FakeEnvironment, type FakePurchase } from './signedData.ts';

interface Entry {
  purchase: FakePurchase;
  /** Counts changes of the whole ledger: the history's revision. */
  changed: number;
}

const pageSize = 20;
const unknown: FakeResponse = { status: 404, code: 4_040_010 };

export class Ledger {
  readonly #entries = new Map<string, Entry>();
  #changes = 0;

  /** Adds purchases and renewals, or replaces them by their transaction id: a refund, a period that is extended. */
  sell(...purchases: FakePurchase[]): void {
    for (const purchase of purchases) {
      this.#changes += 1;
      this.#entries.set(purchase.transactionId, { purchase, changed: this.#changes });
    }
  }

  sold(): FakePurchase[] {
    return [...this.#entries.values()].map(({ purchase }) => purchase);
  }

  knows(id: string): boolean {
    return this.#entries.has(id);
  }

  transaction(id: string, environment: FakeEnvironment): FakeResponse {
    const entry = this.#entries.get(id);
    return entry && isIn(entry, environment) ? { purchase: entry.purchase } : unknown;
  }

  /** The period with the latest purchase; its fields of renewal are those of the line. */
  subscription(lineId: string, environment: FakeEnvironment): FakeResponse {
    const line = this.#line(lineId, environment);
    const latest = line.sort((one, other) => +other.purchase.purchasedAt - +one.purchase.purchasedAt)[0];
    return latest ? { purchase: latest.purchase } : unknown;
  }

  history(lineId: string, environment: FakeEnvironment, revision: string | null): FakeResponse | HistoryResponse {
    const line = this.#line(lineId, environment);
    if (line.length === 0) return unknown;
    const later = line.filter(({ changed }) => changed > Number(revision ?? 0)).sort((a, b) => a.changed - b.changed);
    const page = later.slice(0, pageSize);
    return {
      purchases: page.map(({ purchase }) => purchase),
      revision: String(page.at(-1)?.changed ?? revision ?? 0),
      hasMore: later.length > pageSize,
    };
  }

  #line(lineId: string, environment: FakeEnvironment): Entry[] {
    return [...this.#entries.values()].filter(
      (entry) =>
        originalId(entry.purchase) === lineId && entry.purchase.kind === 'AUTO_RENEWABLE' && isIn(entry, environment),
    );
  }
}

function isIn({ purchase }: Entry, environment: FakeEnvironment): boolean {
  return (purchase.environment === 'Sandbox') === (environment === 'sandbox');
}
