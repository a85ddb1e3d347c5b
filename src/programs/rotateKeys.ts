// `npm run keys:rotate`: encrypts every stored secret under the first ENCRYPTION_KEY. The service may run meanwhile.
import { openPreparedDatabase } from '../compose/prepareDatabase.ts';
import { sealedColumns } from '../compose/tableFacts.ts';
import { createEncryption, reencryptColumn } from '../platform/encryption.ts';
import { databaseSettings, runProgram, type Program } from './runProgram.ts';

const usage = `Usage: npm run keys:rotate
In the image: node dist/src/programs/rotateKeys.js

Encrypts every stored secret again under the first key of ENCRYPTION_KEY. The service may run meanwhile.
Settings: DATABASE_URL and ENCRYPTION_KEY, both required in production.
`;

const work: Program['work'] = async (config, log) => {
  const database = await openPreparedDatabase(config, log);
  const encryption = createEncryption(...config.encryptionKeys);
  let unreadable = 0;
  try {
    for (const sealed of sealedColumns) {
      const counts = await reencryptColumn(database.pool, encryption, sealed);
      process.stdout.write(`${sealed.table}: ${counts.reencrypted} sealed anew, ${counts.unreadable} not readable\n`);
      unreadable += counts.unreadable;
    }
  } finally {
    await database.close();
  }
  if (unreadable > 0) throw new Error('Some secrets are under a key that ENCRYPTION_KEY does not list: add it again.');
  return 'Every secret is under the first key; once all processes run with it first, drop the others.';
};

await runProgram({ usage, settings: [...databaseSettings, 'ENCRYPTION_KEY'], work });
