// The sales of one run: the customers' stories beside the simulated devices, and the closing comparison.
import { setTimeout as sleep } from 'node:timers/promises';
import type { AdminApi } from '../adminApi.ts';
import { liveStories, type Lived } from '../customers/liveStories.ts';
import { stories } from '../customers/stories.ts';
import { durationDays } from '../customers/story.ts';
import type { FakeStore } from '../fakeStore/fakeStore.ts';
import type { World } from '../simulation/simulatedDevice.ts';
import type { Stage } from '../stage.ts';
import { sendNotice } from './notices.ts';
import { phoneItems, policyItems } from './phoneItems.ts';
import { saidItems } from './saidItems.ts';
import type { SalesComparison } from './salesComparison.ts';
import { openSalesReads, type SalesReads } from './salesReads.ts';
import { settleSales } from './settleSales.ts';
import { soldItems } from './soldItems.ts';

export interface SalesParts {
  admin: AdminApi;
  store: FakeStore;
  baseUrl: string;
  stage: Pick<Stage, 'applicationId' | 'bundleId'>;
  world: World;
  /** How many simulated devices there are beside the customers' phones. */
  devices: number;
}

export interface Sales extends Lived {
  /** Waits until the API says what the shop sold. */
  compare(onProgress: (agreeing: number, rows: number) => void): Promise<SalesComparison>;
}

/** Periods end so long after the start: later than the first look-ups, which take 10 s at ten calls a second. */
const periodMillis = 12_000;
const pollMillis = 500;
/** A look-up at the end that finds no renewal is repeated only after a minute, so the store renews before. */
const changedBeforeMillis = 1_000;

export async function runSales(parts: SalesParts): Promise<Sales> {
  const { admin, store, baseUrl, stage, world, devices } = parts;
  const { applicationId, bundleId } = stage;
  const reads = await openSalesReads(admin, { baseUrl, applicationId });
  const startedAt = new Date(world.startedAt);
  const periodEnd = new Date(world.startedAt + periodMillis);
  const url = `${baseUrl}/api/v1/store/notifications/${applicationId}`;
  const lived = await liveStories(stories({ runId: world.runId, startedAt, periodEnd }), {
    ...{ world, store, firstPhone: devices },
    lookedUp: lookUpWatch(reads, periodEnd.getTime() - changedBeforeMillis),
    notify: (purchase, notice) => sendNotice(store, { ...notice, purchase, bundleId }, url),
  });
  return { ...lived, compare: (onProgress) => compare(reads, { store, world, lived, periodEnd, onProgress }) };
}

/** All stories share each read. None waits longer than until `end`. */
function lookUpWatch(reads: SalesReads, end: number): (ids: string[]) => Promise<void> {
  let underWay: Promise<Set<string>> | null = null;
  const resolved = async (): Promise<Set<string>> => {
    const { transactions } = await reads.said();
    return new Set(transactions.flatMap(({ id, state }) => (state === 'RESOLVED' ? [id] : [])));
  };
  return async (ids) => {
    for (; Date.now() < end; await sleep(pollMillis)) {
      underWay ??= resolved().finally(() => (underWay = null));
      const known = await underWay;
      if (ids.every((id) => known.has(id))) return;
    }
  };
}

interface Comparing extends Pick<SalesParts, 'store' | 'world'> {
  lived: Lived;
  periodEnd: Date;
  onProgress(agreeing: number, rows: number): void;
}

async function compare(
  reads: SalesReads,
  { store, world, lived: { visits }, periodEnd, onProgress }: Comparing,
): Promise<SalesComparison> {
  const deviceIds = [...new Set(visits.map(({ deviceId }) => deviceId))];
  const comparison = await settleSales({
    sold() {
      // Not before the end of the periods, at which the last changes come.
      const now = new Date(Math.max(Date.now(), periodEnd.getTime()));
      const purchases = store.sold();
      const sold = soldItems({ purchases, unknown: world.shop.unknown(), durationDays, now });
      return [...sold, ...policyItems(visits, purchases)];
    },
    async said() {
      const said = saidItems(await reads.said());
      const phones = new Map<string, Awaited<ReturnType<SalesReads['phone']>>>();
      for (const id of deviceIds) phones.set(id, await reads.phone(id));
      return [...said, ...phoneItems(visits, phones)];
    },
    onProgress,
  });
  await reads.close();
  return comparison;
}
