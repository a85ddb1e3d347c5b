// Finds the store by the configuration: whose signatures count, and whom look-ups ask.
import type { Config } from '../config.ts';
import type { Log } from '../platform/observability/log.ts';
import { createStoreFinder, type FindStandIn, type FindStore, type StoreOptions } from '../purchases/storeOpener.ts';

export type DemoConfig = Partial<Pick<Config, 'demoStoreFile'>>;

/** The store that look-ups ask and whose notifications are taken. Throws when a file cannot be used. */
export async function composeStoreFinder(config: StoreOptions & DemoConfig, log: Log): Promise<FindStore> {
  return createStoreFinder(config, { log, findStandIn: await composeStandIn(config) });
}

/** The store that a running demo brings. Production configures no such file, and loads nothing of src/development. */
async function composeStandIn({ demoStoreFile }: DemoConfig): Promise<FindStandIn | null> {
  if (demoStoreFile === undefined) return null;
  const { standInServer } = await import('../development/storeStandIn.ts');
  return () => standInServer(demoStoreFile);
}
