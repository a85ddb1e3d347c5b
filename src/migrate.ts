// `npm run db:migrate`: applies pending migrations to the configured database, one process at a time.
import { readConfig } from './config.ts';
import { applyMigrations } from './platform/database/migrations.ts';
import { applyJobQueueMigrations } from './platform/jobQueue/jobQueueSchema.ts';
import { createLog } from './platform/observability/log.ts';
import { projectFile } from './platform/projectRoot.ts';
import { locateServer } from './prepareDatabase.ts';

try {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const server = await locateServer(config, log);
  const migrate = async (): Promise<string[]> => [
    ...(await applyMigrations({ url: server.url, prismaDir: projectFile('prisma'), log })),
    ...(await applyJobQueueMigrations(server.url)),
  ];
  const applied = await migrate().finally(server.stop);
  process.stdout.write(applied.length > 0 ? `Applied: ${applied.join(', ')}\n` : 'Nothing to apply.\n');
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
