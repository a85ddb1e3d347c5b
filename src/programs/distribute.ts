// `npm run db:distribute`: spreads the migrated database over a Citus cluster's workers. A second run continues it.
import { locateServer } from '../compose/prepareDatabase.ts';
import { distributedTables } from '../compose/tablePlacement.ts';
import { distributeTables } from '../platform/database/citus.ts';
import { runProgram } from './runProgram.ts';

await runProgram(async (config, log) => {
  const server = await locateServer(config, log);
  const distributed = await distributeTables(server.url, distributedTables, log).finally(server.stop);
  return distributed.length > 0 ? `Distributed: ${distributed.join(', ')}` : 'Nothing to distribute.';
});
