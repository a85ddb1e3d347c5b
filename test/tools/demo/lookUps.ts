// Waits until the service has looked up every sold transaction, then reads each device through the admin API.
import { setTimeout as sleep } from 'node:timers/promises';
import type { AdminApi } from './adminApi.ts';
import { readDevice, type ShownDevice } from './adminReads.ts';
import type { Ledger } from './simulation/ledger.ts';

export interface LookUpParts {
  admin: AdminApi;
  applicationId: string;
  ledgers: Ledger[];
  /** Called after each poll. */
  onProgress(final: number, all: number): void;
}

const atOnce = 8;
const pollMillis = 500;
/** A restarted service takes over the jobs of the killed one within 40 s. The longest retry of a run takes 10 s. */
const patienceMillis = 120_000;

/** Returns devices by id. It stops waiting after two minutes without progress; the rest is then still `PENDING`. */
export async function readSettledDevices(parts: LookUpParts): Promise<Map<string, ShownDevice | null>> {
  const { ledgers, onProgress } = parts;
  const all = ledgers.reduce((sum, { acknowledgedTransactionIds }) => sum + acknowledgedTransactionIds.size, 0);
  const devices = new Map<string, ShownDevice | null>();
  let waiting = ledgers;
  for (let left = Infinity, movedAt = Date.now(); ; await sleep(pollMillis)) {
    for (const [id, device] of await readAll(parts, waiting)) devices.set(id, device);
    waiting = waiting.filter(({ deviceId }) => pendingOf(devices.get(deviceId)).length > 0);
    const pending = waiting.flatMap(({ deviceId }) => pendingOf(devices.get(deviceId)));
    onProgress(all - pending.length, all);
    if (pending.length < left) [left, movedAt] = [pending.length, Date.now()];
    // With this reason the service has not found the fake store's file. It tries again only after ten minutes.
    const hopeless = pending.some(({ reason }) => reason === 'no_root_certificates');
    if (pending.length === 0 || hopeless || Date.now() - movedAt > patienceMillis) return devices;
  }
}

/** What the fake store does not know stays PENDING for a day, longer than anybody watches a demo. */
function pendingOf(device: ShownDevice | null | undefined): ShownDevice['transactions'] {
  return (device?.transactions ?? []).filter(({ state, reason }) => state === 'PENDING' && reason !== 'not_known_yet');
}

async function readAll({ admin, applicationId }: LookUpParts, ledgers: Ledger[]) {
  const read: [string, ShownDevice | null][] = [];
  const queue = [...ledgers];
  const reader = async (): Promise<void> => {
    for (let ledger = queue.shift(); ledger; ledger = queue.shift()) {
      const { deviceId } = ledger;
      read.push([deviceId, await readDevice(admin, { applicationId, deviceId })]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, reader));
  return read;
}
