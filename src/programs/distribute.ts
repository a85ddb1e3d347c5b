// `npm run db:distribute`: spreads the migrated database over a Citus cluster's workers. A second run continues it.
import { locateServer } from '../compose/prepareDatabase.ts';
import { distributedTables } from '../compose/tableFacts.ts';
import { distributeTables } from '../platform/database/citus.ts';
import { runProgram, schemaSettings } from './runProgram.ts';

const usage = `Usage: npm run db:distribute
In the image: node dist/src/programs/distribute.js

Spreads the tables of a migrated database over the workers of its Citus cluster. A second run continues the first.
Settings: DATABASE_URL, required in production.
`;

await runProgram({
  usage,
  settings: schemaSettings,
  async work(config, log) {
    const server = await locateServer(config, log);
    const distributed = await distributeTables(server.url, distributedTables, log).finally(server.stop);
    return distributed.length > 0 ? `Distributed: ${distributed.join(', ')}` : 'Nothing to distribute.';
  },
});
