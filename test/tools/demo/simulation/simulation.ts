// Simulates all devices of one run, at most 16 of them at once.
import type { Ledger } from './ledger.ts';
import { live } from './life.ts';
import type { World } from './simulatedDevice.ts';

const devicesAtOnce = 16;

/** Resolves with one ledger for each device. Rejects with the first failure, for example `ServiceGone`. */
export async function simulate(devices: number, world: World): Promise<Ledger[]> {
  const ledgers: Ledger[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < devices) ledgers.push(await live(next++, world));
  };
  await Promise.all(Array.from({ length: Math.min(devicesAtOnce, devices) }, worker));
  return ledgers;
}
