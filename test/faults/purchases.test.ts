// Worker, API and PostgreSQL are killed while purchases are uploaded, looked up, renewed, refunded and told to a webhook.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { clearAway } from '../support/serviceProcess.ts';
import { PurchaseLedger, readPurchases } from './support/purchaseLedger.ts';
import { lives } from './support/purchaseLives.ts';
import { startPurchaseTrial, victims, type PurchaseTrial } from './support/purchaseTrial.ts';
import { testFault } from './support/scenario.ts';

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
