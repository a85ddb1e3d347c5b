// Builds the tasks of the job worker from a configuration and an open database, the same way for the process and for tests.
import type { Config } from './config.ts';
import { createTasks, type Tasks } from './jobs/tasks.ts';
import type { Database } from './platform/database.ts';
import { createEncryption } from './platform/encryption.ts';
import type { Log } from './platform/log.ts';
import type { ResolveDeps } from './purchases/resolveStoreTransaction.ts';
import { defaultBackoff } from './purchases/retryTimes.ts';
import { readRootCertificates } from './purchases/rootCertificates.ts';
import { standInServer } from './purchases/standIn.ts';
import { createStoreServerClient, type StoreServer } from './purchases/storeServerClient.ts';

type StoreConfig = Pick<Config, 'storeRootCertificates' | 'storeApiUrl' | 'demoStoreFile'>;

export interface TaskFoundation {
  config: Pick<Config, 'encryptionKey' | 'storeCallsPerSecond'> & StoreConfig;
  database: Pick<Database, 'pool'>;
  log: Log;
  now?: () => Date;
  backoff?: typeof defaultBackoff;
  storeTimeLimitMillis?: number;
}

/** Reads the root certificates; throws when a file cannot be used. */
export async function composeTasks(foundation: TaskFoundation): Promise<Tasks> {
  const { config, database, log, backoff = defaultBackoff, storeTimeLimitMillis = 10_000 } = foundation;
  const now = foundation.now ?? (() => new Date());
  return createTasks({
    pool: database.pool,
    log,
    encryption: createEncryption(config.encryptionKey),
    openStore: await storeOpener(config, { timeLimitMillis: storeTimeLimitMillis, now }, log),
    callsPerSecond: config.storeCallsPerSecond,
    backoff,
    now,
  });
}

/** What it answers opens the configured store, or outside production the one of a demo that runs now, or none. */
async function storeOpener(
  { storeRootCertificates, storeApiUrl: apiUrl, demoStoreFile }: StoreConfig,
  terms: Pick<StoreServer, 'timeLimitMillis' | 'now'>,
  log: Log,
): Promise<ResolveDeps['openStore']> {
  const rootCertificates = await readRootCertificates(storeRootCertificates);
  if (rootCertificates.length > 0) {
    const server: StoreServer = { rootCertificates, apiUrl, ...terms };
    return async (access, signal) => createStoreServerClient(server, access, signal);
  }
  log.info('no STORE_ROOT_CERTIFICATES: store transactions wait unverified');
  return async (access, signal) => {
    const standIn = demoStoreFile === undefined ? null : await standInServer(demoStoreFile);
    return standIn && createStoreServerClient({ ...standIn, ...terms }, access, signal);
  };
}
