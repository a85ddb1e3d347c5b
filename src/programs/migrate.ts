// `npm run db:migrate`: applies pending migrations to the configured database, one process at a time.
import { locateServer } from '../compose/prepareDatabase.ts';
import { applyMigrations } from '../platform/database/migrations.ts';
import { applyJobQueueMigrations } from '../platform/jobQueue/jobQueueSchema.ts';
import { projectFile } from '../platform/projectRoot.ts';
import { runProgram } from './runProgram.ts';

await runProgram(async (config, log) => {
  const server = await locateServer(config, log);
  const migrate = async (): Promise<string[]> => [
    ...(await applyMigrations({ url: server.url, prismaDir: projectFile('prisma'), log })),
    ...(await applyJobQueueMigrations(server.url)),
  ];
  const applied = await migrate().finally(server.stop);
  return applied.length > 0 ? `Applied: ${applied.join(', ')}` : 'Nothing to apply.';
});
