// One run of the demo: it prepares an application, simulates the devices, and compares their records with the service.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../../src/config.ts';
import type { AdminApi } from './adminApi.ts';
import { readCampaign, type ShownCampaign } from './adminReads.ts';
import { requireAnalytics } from './answers/askAnalytics.ts';
import { compareAnswers } from './answers/compareAnswers.ts';
import { SentLog } from './answers/sentLog.ts';
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
import { runSales, type Sales } from './sales/runSales.ts';
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
  await requireAnalytics({ admin, applicationId: stage.applicationId });
  const tally = new Tally(patienceMillis);
  const log = new SentLog();
  const shop = new Shop(store);
  const pause = pauseOf(stage, { admin, devices });
  const credentials = { baseUrl, publicKey: stage.key.public, secretKey: stage.key.secret };
  const world = { credentials, seed, days, runId, startedAt: startedAt.getTime(), tally, log, shop, pause };
  const stopProgress = showProgress(tally, devices, output);
  const [ledgers, sales] = await Promise.all([
    simulate(devices, world).finally(stopProgress),
    runSales({ admin, store, baseUrl, stage, world, devices }),
  ]);
  await pause.pass();
  return compare(parts, { stage, ledgers, tally, log, shop, sales, startedAt });
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
  /** Of the simulated devices, without the customers' phones. */
  ledgers: Ledger[];
  tally: Tally;
  log: SentLog;
  shop: Shop;
  sales: Sales;
  startedAt: Date;
}

async function compare({ admin, store, config, output }: RunParts, lived: Lived): Promise<Findings> {
  const { stage, ledgers, tally, log, shop, sales, startedAt: now } = lived;
  const { applicationId, campaigns, paused, key } = stage;
  const tell = toldOnce(output);
  const onProgress = (final: number, all: number): void => tell(`Purchases looked up: ${final}/${all}\n`);
  const devices = await readSettledDevices({ admin, applicationId, ledgers, onProgress });
  const salesComparison = await sales.compare((agreeing, rows) => tell(`Sales that agree: ${agreeing}/${rows} rows\n`));
  const served = new Map<string, ShownCampaign | null>();
  for (const { id } of campaigns) served.set(id, await readCampaign(admin, id));
  const all = [...ledgers, ...sales.ledgers];
  const sessions = await withDatabase(config, async ({ pool }) =>
    compareAll(all, await openDatabaseReadBack(pool, key.public)),
  );
  const sold = new Map(ledgers.map(({ deviceId }) => [deviceId, shop.salesTo(deviceId)]));
  const acknowledged = new Map(ledgers.map((ledger) => [ledger.deviceId, ledger.acknowledgedTransactionIds]));
  const responses = await compareAnswers({ admin, applicationId }, { log, purchases: store.sold() });
  return {
    ...{ ledgers: all, tally, sessions, responses },
    campaigns: compareCampaigns(campaigns, { ledgers: all, served, now }),
    pause: { name: paused.input.name, ...all.map((ledger) => ledger.pause).reduce(addPauseCounts) },
    purchases: comparePurchases({ sales: sold, acknowledged, devices, calls: store.calls }),
    sales: { ...salesComparison, phones: sales.ledgers.length, changes: sales.changes },
    attribution: compareAttribution(ledgers, devices),
  };
}

/** Polls repeat their line until it changes. */
function toldOnce(output: NodeJS.WriteStream): (line: string) => void {
  let told = '';
  return (line) => void (line !== told && output.write((told = line)));
}
