// Starts the private listener with its documentation pages on a database of its own, for any environment.
import { composeDeps } from '../../src/compose/composeDeps.ts';
import { composeEdges } from '../../src/compose/composeEdges.ts';
import { readConfig } from '../../src/config.ts';
import { createOpsApi } from '../../src/ops/opsApi.ts';
import { pingDatabase } from '../../src/platform/database/database.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { listen } from '../../src/platform/httpServer/httpServer.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { ensureDemoWorkspace } from '../../src/development/demoWorkspace.ts';
import { ensureEventPartitions } from '../../src/sessions/upkeep/dropOldEvents.ts';
import { createTestDatabase } from './testDatabase.ts';
import { patience } from './testService.ts';

export interface OpsService {
  /** URL of the private listener. */
  url: string;
  /** URL of the public listener. */
  publicUrl: string;
  stop: () => Promise<void>;
}

export async function startOpsService(env: Record<string, string>): Promise<OpsService> {
  // Its page would have to be built first.
  const config = readConfig({ DASHBOARD: 'off', ...env });
  const database = await createTestDatabase();
  await ensureEventPartitions(database.pool);
  const deps = composeDeps({ config, database, log: createLog('silent'), patience });
  const demo = config.production
    ? null
    : await ensureDemoWorkspace(database.adminPool, createEncryption(...config.encryptionKeys));
  let publicUrl: string | null = null;
  const edges = await composeEdges({ config, deps, demo, publicUrl: () => publicUrl });
  const ops = createOpsApi({
    registry: deps.metrics.registry,
    pingDatabase: () => pingDatabase(database.pool),
    state: () => 'serving',
    docs: edges.docs,
  });
  const loopback = { port: 0, host: '127.0.0.1' };
  const opsListener = await listen(ops, loopback);
  const publicListener = await listen(edges.app, loopback);
  publicUrl = publicListener.url;
  return {
    url: opsListener.url,
    publicUrl,
    async stop() {
      await publicListener.drain(0);
      await opsListener.drain(0);
      await edges.stop();
      await deps.campaigns.stop();
      await deps.keyUses.stop();
      await deps.issues.stop();
      await deps.quotas.stop();
      await database.drop();
    },
  };
}
