// Opens the store for a look-up: the configured store, or outside production the stand-in of a running demo, or none.
import type { Log } from '../platform/observability/log.ts';
import { readRootCertificates } from './rootCertificates.ts';
import type { StoreAccess, StoreClient } from './storeClient.ts';
import { createStoreServerClient, type StoreServer } from './storeServerClient.ts';

export interface StoreOptions {
  /** Files, PEM or DER. */
  storeRootCertificates: string[];
  storeApiUrl: string | undefined;
}

/** The address and the root certificates of a stand-in for the store; null while there is none. */
export type FindStandIn = () => Promise<Pick<StoreServer, 'apiUrl' | 'rootCertificates'> | null>;

/** Null without root certificates: no response could be verified. */
export type OpenStore = (access: StoreAccess, signal: AbortSignal) => Promise<StoreClient | null>;

interface Terms extends Pick<StoreServer, 'timeLimitMillis' | 'now'> {
  log: Log;
  /** Asked at each look-up, where no root certificates are configured; null in production. */
  findStandIn: FindStandIn | null;
}

/** Reads the root certificates; rejects when a file cannot be used. */
export async function createStoreOpener(
  { storeRootCertificates, storeApiUrl: apiUrl }: StoreOptions,
  { log, findStandIn, ...terms }: Terms,
): Promise<OpenStore> {
  const rootCertificates = await readRootCertificates(storeRootCertificates);
  if (rootCertificates.length > 0) {
    const server: StoreServer = { rootCertificates, apiUrl, ...terms };
    return async (access, signal) => createStoreServerClient(server, access, signal);
  }
  log.info('no STORE_ROOT_CERTIFICATES: store transactions wait unverified');
  return async (access, signal) => {
    const standIn = findStandIn && (await findStandIn());
    return standIn && createStoreServerClient({ ...standIn, ...terms }, access, signal);
  };
}
