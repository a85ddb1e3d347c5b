// `npm run demo`: devices with the reference SDK client live some days against a running service; their numbers must agree.
import { randomBytes } from 'node:crypto';
import { readConfig, type Config } from '../config.ts';
import { createEncryption } from '../platform/encryption.ts';
import { ensureDemoWorkspace } from '../workspace/demoWorkspace.ts';
import { compareAll } from './comparison.ts';
import { openDatabaseReadBack } from './databaseReadBack.ts';
import { helpText, readOptions, UsageError, type DemoOptions } from './options.ts';
import { requireKey, requireService } from './preflight.ts';
import { report } from './report.ts';
import type { Credentials } from './sdk/settings.ts';
import { withDatabase } from './serviceDatabase.ts';
import { showProgress } from './simulation/progress.ts';
import { simulate } from './simulation/simulation.ts';
import { Tally } from './simulation/tally.ts';

const patienceMillis = 120_000;

/** Answers the exit code. */
async function demo(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const options = readOptions(args);
  if (!options) {
    process.stdout.write(helpText);
    return 0;
  }
  const config = readConfig(env);
  const credentials = await credentialsFor(options, config);
  const { devices, days, seed } = options;
  const runId = randomBytes(4).toString('hex');
  process.stdout.write(`Run ${runId}: ${devices} devices, ${days} days, seed ${seed}, ${credentials.baseUrl}\n`);
  const tally = new Tally(patienceMillis);
  const stopProgress = showProgress(tally, devices, process.stdout);
  const world = { credentials, seed, days, runId, startedAt: Date.now(), tally };
  const ledgers = await simulate(devices, world).finally(stopProgress);
  const comparison = await withDatabase(config, async ({ pool }) =>
    compareAll(ledgers, await openDatabaseReadBack(pool, credentials.publicKey)),
  );
  process.stdout.write(report(ledgers, tally, comparison));
  return comparison.disagreements.length === 0 ? 0 : 1;
}

async function credentialsFor({ baseUrl: given, keys }: DemoOptions, config: Config): Promise<Credentials> {
  const baseUrl = given ?? `http://127.0.0.1:${config.port}`;
  await requireService(baseUrl);
  const key = keys ?? (await demoKey(config));
  await requireKey(baseUrl, key.public);
  return { baseUrl, publicKey: key.public, secretKey: key.secret };
}

async function demoKey(config: Config): Promise<{ public: string; secret: string }> {
  if (config.production) throw new UsageError('There is no demo application in production: give --key and --secret.');
  const encryption = createEncryption(config.encryptionKey);
  return (await withDatabase(config, ({ prisma }) => ensureDemoWorkspace(prisma, encryption))).key;
}

try {
  process.exit(await demo(process.argv.slice(2), process.env));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  if (error instanceof UsageError) process.stderr.write('See npm run demo -- --help\n');
  process.exit(1);
}
