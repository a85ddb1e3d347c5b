// `npm run db:migrate`: applies pending migrations to the configured database, one process at a time.
import { locateServer } from '../compose/prepareDatabase.ts';
import { applyMigrations } from '../platform/database/migrations.ts';
import { applyJobQueueMigrations } from '../platform/jobQueue/jobQueueSchema.ts';
import { projectFile } from '../platform/projectRoot.ts';
import { runProgram, schemaSettings } from './runProgram.ts';

const usage = `Usage: npm run db:migrate
In the image: node dist/src/programs/migrate.js

Applies pending migrations to the database, one process at a time.
Settings: DATABASE_URL, required in production.
`;

await runProgram({
  usage,
  settings: schemaSettings,
  async work(config, log) {
    const server = await locateServer(config, log);
    const migrate = async (): Promise<string[]> => [
      ...(await applyMigrations({ url: server.url, prismaDir: projectFile('prisma'), log })),
      ...(await applyJobQueueMigrations(server.url)),
    ];
    const applied = await migrate().finally(server.stop);
    return applied.length > 0 ? `Applied: ${applied.join(', ')}` : 'Nothing to apply.';
  },
});
