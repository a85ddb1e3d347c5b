// The built service under a fault, as a process of its own, and applications to send to.
import pg from 'pg';
import { openDatabase } from '../../../src/platform/database/database.ts';
import { createEncryption } from '../../../src/platform/encryption.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { startService, type RunningService } from '../../support/serviceProcess.ts';
import { createApplication, createCampaign, type TestApplication } from '../../support/testWorkspace.ts';

const encryptionKey = Buffer.alloc(32, 5);

/** `databaseUrl` may lead through a proxy. */
export function startFaultService(databaseUrl: string, env: Record<string, string> = {}): Promise<RunningService> {
  return startService({
    DATABASE_URL: databaseUrl,
    SESSION_SIGNATURE: 'required',
    ENCRYPTION_KEY: encryptionKey.toString('base64'),
    TOKEN_KEY: Buffer.alloc(32, 6).toString('base64'),
    ...env,
  });
}

export interface FaultApplication {
  application: TestApplication;
  /** One, to count what devices report of it. */
  campaignIds: string[];
}

/** In a database that the service has migrated; each fault has its own, so that their ledgers do not meet. */
export async function newFaultApplication(databaseUrl: string): Promise<FaultApplication> {
  const log = createLog('silent');
  const database = openDatabase({ url: databaseUrl, poolSize: 1, statementTimeoutMillis: 10_000, log });
  try {
    const application = await createApplication(database.prisma, createEncryption(encryptionKey));
    return { application, campaignIds: [await createCampaign(database.prisma, application.id)] };
  } finally {
    await database.close();
  }
}

/** Over a connection of its own, past the service. */
export async function withConnection<Result>(
  connectionString: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
