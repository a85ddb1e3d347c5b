// `npm run db:distribute`: spreads the migrated database over the workers of a Citus cluster; run again, it goes on.
import { readConfig } from './config.ts';
import { distributeTables } from './platform/database/citus.ts';
import { createLog } from './platform/observability/log.ts';
import { locateServer } from './prepareDatabase.ts';
import { distributedTables } from './tablePlacement.ts';

try {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const server = await locateServer(config, log);
  const distributed = await distributeTables(server.url, distributedTables, log).finally(server.stop);
  process.stdout.write(
    distributed.length > 0 ? `Distributed: ${distributed.join(', ')}\n` : 'Nothing to distribute.\n',
  );
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
