// Which store is asked: the configured one, or outside production the stand-in of a demo that runs now, or none.
import type { Log } from '../platform/observability/log.ts';
import { readRootCertificates } from './rootCertificates.ts';
import type { StoreAccess, StoreClient } from './storeClient.ts';
import { createStoreServerClient, type StoreServer } from './storeServerClient.ts';

export interface StoreOptions {
  /** Files, PEM or DER. */
  storeRootCertificates: string[];
  storeApiUrl: string | undefined;
}

/** Where to ask and whom to trust in place of the store; null while there is nobody. */
export type FindStandIn = () => Promise<Pick<StoreServer, 'apiUrl' | 'rootCertificates'> | null>;

/** Null while there are no root certificates: then nothing could be verified. */
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
