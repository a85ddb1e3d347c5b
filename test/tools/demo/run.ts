// One run of the demo: it prepares an application, simulates the devices, and compares their records with the service.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../../src/config.ts';
import type { AdminApi } from './adminApi.ts';
import { readCampaign, type ShownCampaign } from './adminReads.ts';
import { compareAttribution } from './attributionComparison.ts';
import { compareCampaigns } from './campaignComparison.ts';
import { compareAll } from './comparison.ts';
import { openDatabaseReadBack } from './databaseReadBack.ts';
import type { FakeStore } from './fakeStore/fakeStore.ts';
import { readSettledDevices } from './lookUps.ts';
import { comparePurchases } from './purchaseComparison.ts';
import type { Findings } from './report.ts';
import { withDatabase } from './serviceDatabase.ts';
import type { Ledger } from './simulation/ledger.ts';
import { MidRunPause } from './simulation/midRunPause.ts';
import { addPauseCounts } from './simulation/pauseWatch.ts';
import { showProgress } from './simulation/progress.ts';
import { Shop } from './simulation/shop.ts';
import { simulate } from './simulation/simulation.ts';
import { Tally } from './simulation/tally.ts';
import { changeState, setStage, type Stage } from './stage.ts';

export interface RunParts {
  admin: AdminApi;
  store: FakeStore;
  config: Config;
  baseUrl: string;
  devices: number;
  days: number;
  seed: number;
  output: NodeJS.WriteStream;
}

const patienceMillis = 120_000;
/** Every response shows an edit within one second, from every process: openapi.yaml, "Fetching". */
const seenWithinMillis = 1_000;

export async function run(parts: RunParts): Promise<Findings> {
  const { admin, store, config, baseUrl, devices, days, seed, output } = parts;
  const runId = randomBytes(4).toString('hex');
  const startedAt = new Date();
  output.write(`Run ${runId}: ${devices} devices, ${days} days, seed ${seed}, ${baseUrl}\n`);
  const stage = await withDatabase(config, (database) => setStage({ admin, database, store, runId, startedAt }));
  const tally = new Tally(patienceMillis);
  const shop = new Shop((id, answers) => store.answer(id, answers));
  const pause = pauseOf(stage, { admin, devices });
  const credentials = { baseUrl, publicKey: stage.key.public, secretKey: stage.key.secret };
  const world = { credentials, seed, days, runId, startedAt: startedAt.getTime(), tally, shop, pause };
  const stopProgress = showProgress(tally, devices, output);
  const ledgers = await simulate(devices, world).finally(stopProgress);
  await pause.pass();
  return compare(parts, { stage, ledgers, tally, shop, startedAt });
}

function pauseOf({ paused }: Stage, { admin, devices }: { admin: AdminApi; devices: number }): MidRunPause {
  return new MidRunPause({
    campaignId: paused.id,
    event: paused.input.trigger!.event,
    devices,
    async pause() {
      await changeState(admin, paused.id, 'PAUSED');
      await sleep(seenWithinMillis);
    },
  });
}

interface Lived {
  stage: Stage;
  ledgers: Ledger[];
  tally: Tally;
  shop: Shop;
  startedAt: Date;
}

async function compare({ admin, store, config, output }: RunParts, lived: Lived): Promise<Findings> {
  const { stage, ledgers, tally, shop, startedAt: now } = lived;
  const { applicationId, campaigns, paused, key } = stage;
  let told = '';
  const onProgress = (final: number, all: number): void => {
    const line = `Purchases looked up: ${final}/${all}\n`;
    if (line !== told) output.write((told = line));
  };
  const devices = await readSettledDevices({ admin, applicationId, ledgers, onProgress });
  const answered = new Map<string, ShownCampaign | null>();
  for (const { id } of campaigns) answered.set(id, await readCampaign(admin, id));
  const sessions = await withDatabase(config, async ({ pool }) =>
    compareAll(ledgers, await openDatabaseReadBack(pool, key.public)),
  );
  const sales = new Map(ledgers.map(({ deviceId }) => [deviceId, shop.salesTo(deviceId)]));
  const acknowledged = new Map(ledgers.map((ledger) => [ledger.deviceId, ledger.acknowledgedTransactionIds]));
  return {
    ...{ ledgers, tally, sessions },
    campaigns: compareCampaigns(campaigns, { ledgers, answered, now }),
    pause: { name: paused.input.name, ...ledgers.map((ledger) => ledger.pause).reduce(addPauseCounts) },
    purchases: comparePurchases({ sales, acknowledged, devices, calls: store.calls }),
    attribution: compareAttribution(ledgers, devices),
  };
}
