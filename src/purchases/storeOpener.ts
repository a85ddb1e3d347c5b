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

/** The address and the root certificates of the store. */
type Store = Pick<StoreServer, 'apiUrl' | 'rootCertificates'>;

/** A stand-in for the store; null while there is none. */
export type FindStandIn = () => Promise<Store | null>;

/** Null without root certificates: nothing that the store signed can be verified. */
export type FindStore = () => Promise<Store | null>;

/** Null without root certificates: no response could be verified. */
export type OpenStore = (access: StoreAccess, signal: AbortSignal) => Promise<StoreClient | null>;

interface Finding {
  log: Log;
  /** Asked at each look-up, where no root certificates are configured; null in production. */
  findStandIn: FindStandIn | null;
}

/** Reads the root certificates, and warns where they are missing. Rejects when a file cannot be used. */
export async function createStoreFinder(
  { storeRootCertificates, storeApiUrl: apiUrl }: StoreOptions,
  { log, findStandIn }: Finding,
): Promise<FindStore> {
  const { certificates: rootCertificates, missing } = await readRootCertificates(storeRootCertificates);
  // With some of the files missing all transactions wait: what verifies under a missing root would be FAILED, for good.
  if (rootCertificates.length > 0 && missing.length === 0) return async () => ({ rootCertificates, apiUrl });
  if (findStandIn === null) log.warn({ missing }, 'no root certificates of the store: store transactions wait');
  else log.info('no STORE_ROOT_CERTIFICATES: store transactions wait unverified');
  return async () => findStandIn && (await findStandIn());
}

export function createStoreOpener(
  findStore: FindStore,
  terms: Pick<StoreServer, 'timeLimitMillis' | 'now'>,
): OpenStore {
  return async (access, signal) => {
    const store = await findStore();
    return store && createStoreServerClient({ ...store, ...terms }, access, signal);
  };
}
