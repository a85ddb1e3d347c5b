// What happens to lines while processes are killed: each life makes its next step after the event of the step before.
import { randomUUID } from 'node:crypto';
import { aPurchase } from '../../support/fakeStore.ts';
import type { FakePurchase } from '../../tools/demo/fakeStore/signedData.ts';
import { arrivalsByLine, type PurchaseLedger, type Told } from './purchaseLedger.ts';
import { persist, type PurchaseTrial } from './purchaseTrial.ts';

const day = 86_400_000;
const inMillis = (millis: number): Date => new Date(Date.now() + millis);

export interface Life {
  trial: PurchaseTrial;
  ledger: PurchaseLedger;
  line: string;
}

/** A subscription for a month, unless the fields say other. */
function period(line: string, fields: Partial<FakePurchase> = {}): FakePurchase {
  return aPurchase({
    ...{ transactionId: line, originalTransactionId: line, kind: 'AUTO_RENEWABLE', signedAt: new Date() },
    ...{ purchasedAt: inMillis(-1_000), expiresAt: inMillis(30 * day), ...fields },
  });
}

function sell({ trial, ledger }: Life, purchase: FakePurchase): void {
  trial.store.sell(purchase);
  ledger.said(purchase);
}

/** A phone sends it until it is acknowledged. */
async function upload({ trial, ledger, line }: Life, externalId: string): Promise<void> {
  const body = { device: { id: `${line} ${externalId}`, external_id: externalId }, transactions: [{ id: line }] };
  const headers = { 'Content-Type': 'application/json', 'X-Api-Key': trial.application.key.public };
  await persist(async () => {
    const signal = AbortSignal.timeout(10_000);
    const init = { method: 'POST', headers, body: JSON.stringify(body), signal };
    return (await fetch(`${trial.url()}/api/v1/tm/store`, init)).ok ? true : null;
  }, `the upload of ${line}`);
  ledger.uploaded(line);
}

/** The store sends it until it is accepted. */
async function notify({ trial, line }: Life, type: string, purchase: FakePurchase): Promise<void> {
  const notification = { type, purchase, uuid: randomUUID(), signedAt: new Date(), bundleId: 'com.example.test' };
  await persist(async () => {
    const url = `${trial.url()}/api/v1/store/notifications/${trial.application.id}`;
    return (await trial.store.notify(notification, url)).status === 200 ? true : null;
  }, `${type} of ${line}`);
}

async function told({ trial, line }: Life, event: Told): Promise<void> {
  const arrived = async () => (arrivalsByLine(trial.receiver.received).get(line)?.includes(event) ? true : null);
  await persist(arrived, `${event} of ${line}`);
}

async function activate(life: Life, first = period(life.line)): Promise<FakePurchase> {
  sell(life, first);
  life.ledger.implies(life.line, 'activated');
  await upload(life, 'A');
  await told(life, 'activated');
  return first;
}

async function becomes(life: Life, event: Told, step: () => Promise<unknown>): Promise<void> {
  life.ledger.implies(life.line, event);
  await step();
  await told(life, event);
}

const renewal = (line: string) => period(line, { transactionId: `${line}-2`, purchasedAt: new Date() });

export const lives: ((life: Life) => Promise<void>)[] = [
  async function renewedAndRefunded(life) {
    await activate(life);
    const next = renewal(life.line);
    sell(life, next);
    await becomes(life, 'renewed', () => notify(life, 'DID_RENEW', next));
    const refunded = { ...next, revokedAt: new Date(), signedAt: new Date() };
    sell(life, refunded);
    await becomes(life, 'revoked', () => notify(life, 'REFUND', refunded));
  },
  async function renewalFoundByLookUp(life) {
    await activate(life);
    sell(life, renewal(life.line));
    const { storeEntitlement } = life.trial.database.prisma;
    const isDue = { where: { lineId: life.line }, data: { nextLookUpAt: new Date() } };
    await becomes(life, 'renewed', () => persist(() => storeEntitlement.updateMany(isDue), 'SQL'));
  },
  async function endedByTheClock(life) {
    const first = await activate(life);
    const ends = { ...first, expiresAt: inMillis(2_000), autoRenew: false, signedAt: new Date() };
    sell(life, ends);
    await becomes(life, 'expired', () => notify(life, 'DID_CHANGE_RENEWAL_STATUS', ends));
  },
  async function takenOver(life) {
    await activate(life);
    await becomes(life, 'transferred', () => upload(life, 'B'));
  },
  async function knownLater(life) {
    await upload(life, 'A');
    const asked = async () => (life.trial.store.calls.some(({ id }) => id === life.line) ? true : null);
    await persist(asked, `the look-up of ${life.line}`);
    life.ledger.implies(life.line, 'activated');
    sell(life, aPurchase({ transactionId: life.line, purchasedAt: inMillis(-day) }));
    await told(life, 'activated');
  },
  async function invented(life) {
    await upload(life, 'A');
    await persist(async () => {
      const where = { id: life.line, lastLookedUpAt: { not: null } };
      return life.trial.database.prisma.storeTransaction.findFirst({ where });
    }, `the look-up of ${life.line}`);
  },
];
