// Records what phones uploaded and what the store said, and compares it after faults with the rows and with the receiver's events.
import type { PrismaClient } from '../../../generated/prisma/client.ts';
import { originalId, type FakePurchase } from '../../tools/demo/fakeStore/signedData.ts';
import type { Received } from '../../support/webhooks.ts';
import type { Account } from './ledger.ts';

export type Told = 'activated' | 'renewed' | 'expired' | 'revoked' | 'transferred';

/** The rows of one application, as far as they are compared. */
export interface StoredPurchase {
  id: string;
  state: string;
  reason: string | null;
  lineId: string | null;
  purchasedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

export class PurchaseLedger {
  /** The ids that the service has acknowledged. */
  readonly #uploaded = new Set<string>();
  /** Of each transaction what the store signed last. */
  readonly #said = new Map<string, FakePurchase>();
  /** Of each line the events that follow from what was uploaded and said, in their order. */
  readonly #implied = new Map<string, Told[]>();

  uploaded(id: string): void {
    this.#uploaded.add(id);
  }

  said(purchase: FakePurchase): void {
    this.#said.set(purchase.transactionId, purchase);
  }

  /** Called before what makes the event. */
  implies(line: string, event: Told): void {
    this.#implied.set(line, [...(this.#implied.get(line) ?? []), event]);
  }

  settle(rows: StoredPurchase[], received: Received[]): Account {
    const stored = compareRows({ uploaded: this.#uploaded, said: this.#said }, rows);
    const told = compareEvents(this.#implied, received);
    const events = [...this.#implied.values()].flat().length;
    return {
      acknowledged: this.#uploaded.size + events,
      lost: stored.lost + told.lost,
      doubled: stored.doubled + told.doubled,
      neverSent: stored.neverSent + told.neverSent,
      problems: [...stored.problems, ...told.problems].slice(0, 10),
    };
  }
}

export function readPurchases(prisma: PrismaClient, applicationId: string): Promise<StoredPurchase[]> {
  return prisma.storeTransaction.findMany({ where: { applicationId } });
}

type Differences = Omit<Account, 'acknowledged'>;
type Sent = { uploaded: Set<string>; said: Map<string, FakePurchase> };

/** One row for each id that was uploaded or of which the store has spoken, with what it said last. */
function compareRows({ uploaded, said }: Sent, rows: StoredPurchase[]): Differences {
  const ids = new Set([...uploaded, ...said.keys()]);
  const stored = new Map(rows.map((row) => [row.id, row]));
  const missing = [...ids].filter((id) => !stored.has(id));
  const problems = [...ids].flatMap((id) => {
    const row = stored.get(id);
    const [is, wanted] = [row && shownRow(row), shownSaid(said.get(id))];
    return row === undefined || is === wanted ? [] : [`${id} is ${is} and should be ${wanted}`];
  });
  return {
    lost: missing.length,
    doubled: rows.length - stored.size,
    neverSent: [...stored.keys()].filter((id) => !ids.has(id)).length,
    problems: [...missing.map((id) => `${id} has no row`), ...problems],
  };
}

const shown = (...fields: (string | null | Date | undefined)[]): string =>
  fields.map((field) => (field instanceof Date ? field.toISOString() : String(field ?? '-'))).join(' ');

function shownRow({ state, reason, lineId, purchasedAt, expiresAt, revokedAt }: StoredPurchase): string {
  return shown(state, reason, lineId, purchasedAt, expiresAt, revokedAt);
}

/** An id of which the store has said nothing is asked for again for 24 hours. */
function shownSaid(purchase: FakePurchase | undefined): string {
  if (!purchase) return shown('PENDING', 'not_known_yet', null, null, null, null);
  const { purchasedAt, expiresAt, revokedAt } = purchase;
  return shown('RESOLVED', null, originalId(purchase), purchasedAt, expiresAt, revokedAt);
}

/** An event may arrive several times, under one `webhook-id`: its first arrival counts. */
function compareEvents(implied: Map<string, Told[]>, received: Received[]): Differences {
  const found: Differences = { lost: 0, doubled: 0, neverSent: 0, problems: [] };
  const arrived = arrivalsByLine(received);
  for (const line of new Set([...implied.keys(), ...arrived.keys()])) {
    const [wanted, got] = [implied.get(line) ?? [], arrived.get(line) ?? []];
    const surplus = without(got, wanted);
    const missing = without(wanted, got);
    found.lost += missing.length;
    found.doubled += surplus.filter((event) => wanted.includes(event)).length;
    found.neverSent += surplus.filter((event) => !wanted.includes(event)).length;
    if (String(got) !== String(wanted))
      found.problems.push(`${line} was told as ${shown(...got)}, not ${shown(...wanted)}`);
  }
  const forged = received.filter(({ verified }) => !verified).length;
  if (forged > 0) found.problems.push(`${forged} events have another signature`);
  return found;
}

function without(these: Told[], those: Told[]): Told[] {
  const left = [...those];
  return these.filter((event) => {
    const at = left.indexOf(event);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** Of each line its events in the order of their first arrival. */
export function arrivalsByLine(received: Received[]): Map<string, Told[]> {
  const [seen, lines] = [new Set<string>(), new Map<string, Told[]>()];
  for (const { id, body } of received) {
    if (seen.has(id)) continue;
    seen.add(id);
    const line = String(body.data['id']);
    lines.set(line, [...(lines.get(line) ?? []), body.type.replace('entitlement.', '') as Told]);
  }
  return lines;
}
