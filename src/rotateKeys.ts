// `npm run keys:rotate`: seals every stored secret under the first ENCRYPTION_KEY; the service may run meanwhile.
import { readConfig } from './config.ts';
import { resealColumn } from './platform/database/reseal.ts';
import { createEncryption } from './platform/encryption.ts';
import { createLog } from './platform/observability/log.ts';
import { openPreparedDatabase } from './prepareDatabase.ts';
import { sealedColumns } from './sealedColumns.ts';

try {
  const config = readConfig(process.env);
  const database = await openPreparedDatabase(config, createLog(config.logLevel));
  const encryption = createEncryption(...config.encryptionKeys);
  let unreadable = 0;
  try {
    for (const sealed of sealedColumns) {
      const counts = await resealColumn(database.pool, encryption, sealed);
      process.stdout.write(`${sealed.table}: ${counts.resealed} sealed anew, ${counts.unreadable} not readable\n`);
      unreadable += counts.unreadable;
    }
  } finally {
    await database.close();
  }
  if (unreadable > 0) throw new Error('Some secrets are under a key that ENCRYPTION_KEY does not list: add it again.');
  process.stdout.write('Every secret is under the first key; once all processes run with it first, drop the others.\n');
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
