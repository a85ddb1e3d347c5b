// Starts the built service for a fault, as a process of its own, and creates applications to send to.
import pg from 'pg';
import { openDatabase } from '../../../src/platform/database/database.ts';
import { createEncryption } from '../../../src/platform/encryption.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import {
  runBuilt,
  startService,
  until,
  type RunningProcess,
  type RunningService,
} from '../../support/serviceProcess.ts';
import { createApplication, createCampaign, type TestApplication } from '../../support/testWorkspace.ts';

export const faultKey = Buffer.alloc(32, 5);

/** `databaseUrl` may lead through a proxy. */
export function startFaultService(databaseUrl: string, env: Record<string, string> = {}): Promise<RunningService> {
  return startService({
    DATABASE_URL: databaseUrl,
    SESSION_SIGNATURE: 'required',
    ENCRYPTION_KEY: faultKey.toString('base64'),
    TOKEN_KEY: Buffer.alloc(32, 6).toString('base64'),
    ...env,
  });
}

/** A worker without an API. Resolves when it runs jobs. */
export async function startFaultWorker(databaseUrl: string, env: Record<string, string> = {}): Promise<RunningProcess> {
  const running = runBuilt('src/main.js', {
    ...{ ROLE: 'worker', OPS_PORT: '0', DATABASE_URL: databaseUrl, ENCRYPTION_KEY: faultKey.toString('base64') },
    ...env,
  });
  await until(() => (running.stdout().includes('"msg":"listening"') ? true : undefined), running);
  return running;
}

export interface FaultApplication {
  application: TestApplication;
  /** One campaign, for the counts that devices report. */
  campaignIds: string[];
}

/** Uses a database that the service has migrated. Each fault has its own application, so that the ledgers stay separate. */
export async function newFaultApplication(databaseUrl: string): Promise<FaultApplication> {
  const log = createLog('silent');
  const database = openDatabase({ url: databaseUrl, poolSize: 1, statementTimeoutMillis: 10_000, log });
  try {
    const application = await createApplication(database.prisma, createEncryption(faultKey));
    return { application, campaignIds: [await createCampaign(database.prisma, application.id)] };
  } finally {
    await database.close();
  }
}

/** Uses a connection of its own, not the service's. */
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
