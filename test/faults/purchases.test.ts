// Worker, API and PostgreSQL are killed while purchases are uploaded, looked up, renewed, refunded and told to a webhook.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { aPurchase } from '../support/fakeStore.ts';
import { clearAway } from '../support/serviceProcess.ts';
import type { Received } from '../support/webhooks.ts';
import { PurchaseLedger, readPurchases, type StoredPurchase } from './support/purchaseLedger.ts';
import { lives } from './support/purchaseLives.ts';
import { type PurchaseTrial, startPurchaseTrial, victims } from './support/purchaseTrial.ts';
import { testFault } from './support/scenario.ts';

describe('purchases', () => {
  let trial: PurchaseTrial;
  beforeAll(async () => {
    trial = await startPurchaseTrial();
  });
  afterAll(async () => {
    await trial.stop();
    await clearAway();
  });

  testFault({
    name: 'worker, API and PostgreSQL killed with -9 in turn: purchases and the events about them',
    times: { short: 3, long: 30 },
    async run({ times, random, injected, add }) {
      const ledger = new PurchaseLedger();
      const living: Promise<void>[] = [];
      for (let kill = 0; kill < times; kill++) {
        living.push(...lives.map((live) => live({ trial, ledger, line: randomUUID() })));
        await pause(random.between(100, 1_500));
        await trial.kill(victims[kill % victims.length]!);
        injected();
      }
      const ends = await Promise.allSettled(living);
      add({ problems: ends.flatMap((end) => (end.status === 'rejected' ? String(end.reason) : [])) });
      add(ledger.settle(await readPurchases(trial.database.prisma, trial.application.id), trial.receiver.received));
    },
  });
});

// Tests the ledger of purchases itself: it must catch each kind of difference, and must not accuse what is right.
describe('purchaseLedger', () => {
  const at = new Date('2026-09-10T00:00:00Z');
  const sold = aPurchase({ transactionId: 'sold', purchasedAt: at });
  const row: StoredPurchase = {
    ...{ id: 'sold', state: 'RESOLVED', reason: null, lineId: 'sold' },
    ...{ purchasedAt: at, expiresAt: null, revokedAt: null },
  };
  const unknown: StoredPurchase = {
    ...{ id: 'invented', state: 'PENDING', reason: 'not_known_yet', lineId: null },
    ...{ purchasedAt: null, expiresAt: null, revokedAt: null },
  };
  const event = (id: string, type: string, line = 'sold'): Received => ({
    ...{ id, verified: true },
    body: { type: `entitlement.${type}`, timestamp: at.toISOString(), data: { id: line } },
  });
  const [first, second] = [event('1', 'activated'), event('2', 'revoked')];

  function settled({ rows = [row, unknown], received = [first, second] } = {}) {
    const ledger = new PurchaseLedger();
    ledger.uploaded('sold');
    ledger.uploaded('invented');
    ledger.said(sold);
    ledger.implies('sold', 'activated');
    ledger.implies('sold', 'revoked');
    const { problems, ...counts } = ledger.settle(rows, received);
    return { ...counts, problems: problems.length };
  }

  const right = { acknowledged: 4, lost: 0, doubled: 0, neverSent: 0, problems: 0 };

  test.each<[string, Parameters<typeof settled>[0], Partial<typeof right>]>([
    ['all as it should be', {}, {}],
    ['an event that arrives again, also after a later one', { received: [first, first, second, first] }, {}],
    ['an id without a row', { rows: [row] }, { lost: 1, problems: 1 }],
    [
      'a row that nobody uploaded and of which the store knows nothing',
      { rows: [row, unknown, { ...unknown, id: 'x' }] },
      { neverSent: 1 },
    ],
    ['a row twice', { rows: [row, row, unknown] }, { doubled: 1 }],
    ['a refund that is not the store’s', { rows: [{ ...row, revokedAt: at }, unknown] }, { problems: 1 }],
    ['a purchase that is not resolved', { rows: [{ ...unknown, id: 'sold' }, unknown] }, { problems: 1 }],
    ['an event that does not arrive', { received: [first] }, { lost: 1, problems: 1 }],
    ['an event that is told twice', { received: [first, second, event('3', 'revoked')] }, { doubled: 1, problems: 1 }],
    ['an event of another kind', { received: [first, second, event('3', 'expired')] }, { neverSent: 1, problems: 1 }],
    [
      'an event of another line',
      { received: [first, second, event('3', 'activated', 'x')] },
      { neverSent: 1, problems: 1 },
    ],
    ['events in another order', { received: [second, first] }, { problems: 1 }],
    ['an event with another signature', { received: [first, { ...second, verified: false }] }, { problems: 1 }],
  ])('%s', (_, given, found) => {
    expect(settled(given)).toEqual({ ...right, ...found });
  });
});
