// Builds the one Deps record from a configuration and an open database, the same way for the process and for tests.
import type { Config } from './config.ts';
import type { Deps } from './deps.ts';
import type { Database } from './platform/database.ts';
import { createEncryption } from './platform/encryption.ts';
import type { Log } from './platform/log.ts';
import { createMetrics } from './platform/metrics.ts';
import { inTransaction } from './platform/transaction.ts';
import { storeTransactionReport } from './purchases/storeTransactionsStore.ts';
import { storeUploads } from './sessions/storeUploads.ts';
import { findNonceBodies } from './sessions/uploadsStore.ts';
import { UploadWriter } from './sessions/uploadWriter.ts';
import { createApplicationDirectory } from './workspace/applicationDirectory.ts';
import { findApplicationByKey } from './workspace/applicationsStore.ts';

const batching = { lanes: 2, batchUploads: 64, batchEvents: 5_000, answerWithinMillis: 5_000 };

export interface Foundation {
  config: Pick<Config, 'encryptionKey' | 'signatureRequired' | 'ingestQueueUploads'>;
  database: Database;
  log: Log;
  now?: () => Date;
}

export function composeDeps({ config, database: { pool, prisma }, log, now = () => new Date() }: Foundation): Deps {
  const metrics = createMetrics();
  const encryption = createEncryption(config.encryptionKey);
  return {
    log,
    metrics,
    applications: createApplicationDirectory((key) => findApplicationByKey(prisma, encryption, key)),
    uploads: new UploadWriter(
      (uploads) => inTransaction(pool, (client) => storeUploads(client, uploads)),
      { ...batching, queueSize: config.ingestQueueUploads },
      metrics,
    ),
    async nonceTaken(nonce) {
      const [body] = await findNonceBodies(pool, [nonce]);
      return body !== null && body !== undefined && !body.equals(nonce.bodyHash);
    },
    storeTransactions: (report) => inTransaction(pool, (client) => storeTransactionReport(client, report)),
    signatureRequired: config.signatureRequired,
    now,
  };
}
