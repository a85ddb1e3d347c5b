// Which store is asked: the configured one, or outside production the stand-in of a demo that runs now, or none.
import type { Log } from '../platform/observability/log.ts';
import { readRootCertificates } from './rootCertificates.ts';
import { standInServer } from './standIn.ts';
import type { StoreAccess, StoreClient } from './storeClient.ts';
import { createStoreServerClient, type StoreServer } from './storeServerClient.ts';

export interface StoreOptions {
  /** Files, PEM or DER. */
  storeRootCertificates: string[];
  storeApiUrl: string | undefined;
  /** Looked into at each question, where no root certificates are configured; absent in production. */
  demoStoreFile?: string | undefined;
}

/** Null while there are no root certificates: then nothing could be verified. */
export type OpenStore = (access: StoreAccess, signal: AbortSignal) => Promise<StoreClient | null>;

type Terms = Pick<StoreServer, 'timeLimitMillis' | 'now'> & { log: Log };

/** Reads the root certificates; rejects when a file cannot be used. */
export async function createStoreOpener(
  { storeRootCertificates, storeApiUrl: apiUrl, demoStoreFile }: StoreOptions,
  { log, ...terms }: Terms,
): Promise<OpenStore> {
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
