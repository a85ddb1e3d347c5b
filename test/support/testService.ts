// Starts the whole service on a database of its own and a free port, with one application to send to.
import { readFile } from 'node:fs/promises';
import { createDatabaseEngine } from '../../src/analytics/engine/databaseEngine.ts';
import { questionBounds } from '../../src/analytics/engine/engine.ts';
import type { AttemptLimits } from '../../src/accounts/attempts.ts';
import { createApp } from '../../src/app.ts';
import { composeDeps } from '../../src/compose/composeDeps.ts';
import type { Deps } from '../../src/deps.ts';
import { createAdminApi } from '../../src/graphql/adminApi.ts';
import { defaultPlaces, type PlaceBounds, type StrangerLimits } from '../../src/graphql/context.ts';
import { loadPublicContract } from '../../src/http/publicContract.ts';
import type { DashboardPage } from '../../src/http/dashboard/dashboardPage.ts';
import { operations } from '../../src/http/publicOperations.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { listen } from '../../src/platform/httpServer/httpServer.ts';
import { createLog, type Log } from '../../src/platform/observability/log.ts';
import type { Tracing } from '../../src/platform/observability/tracing/tracing.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { ensureEventPartitions } from '../../src/sessions/upkeep/dropOldEvents.ts';
import type { QuotaSettings } from '../../src/quotas/quotas.ts';
import type { FindStore } from '../../src/purchases/storeOpener.ts';
import { createContractClient, type ContractClient } from './contractClient.ts';
import { createTestDatabase, type TestDatabase } from './testDatabase.ts';
import { createApplication, type TestApplication } from './testWorkspace.ts';

/**
 * A file that shares one service calls `stop`. A single test uses `await using`, which stops the service also when the
 * test fails.
 */
export interface TestService extends AsyncDisposable {
  url: string;
  database: TestDatabase;
  deps: Deps;
  application: TestApplication;
  /** Creates another application of another organization in the same service. */
  newApplication: () => Promise<TestApplication>;
  /** This service with another application, for the next tests that share it. */
  withNewApplication: () => Promise<TestService>;
  client: ContractClient;
  /** Resolves when every response has ended. A second call waits for the first. */
  stop: () => Promise<void>;
}

export interface TestServiceOptions {
  signatureRequired?: boolean;
  now?: () => Date;
  dashboardOrigins?: string[];
  /** None unless given. With one, a test says in X-Forwarded-For from where it asks. */
  trustedProxies?: number;
  /** On a Citus cluster: use a database that is not spread over the workers. */
  plain?: boolean;
  /** Silent unless given. */
  log?: Log;
  /** Off unless given. */
  tracing?: Tracing;
  /** High unless given: most tests log in more often than a person. */
  attemptLimits?: AttemptLimits;
  /** High unless given: some tests log in a thousand times. */
  strangerLimits?: StrangerLimits;
  ingestQueueUploads?: number;
  /** None unless given. */
  quota?: QuotaSettings;
  signup?: Deps['signup'];
  /** Default: those of the service, with more patience. */
  places?: PlaceBounds;
  /** The store whose notifications are taken. None unless given. */
  findStore?: FindStore;
  /** Served below /admin/. None unless given. */
  dashboard?: DashboardPage;
  /** Replaces some dependencies, for failures that no input can cause. */
  change?: (deps: Deps) => Deps;
}

/** Longer than in the service: a busy machine takes seconds for a response. */
const respondWithinMillis = 20_000;
export const patience = { queueMillis: respondWithinMillis, respondWithinMillis };

const patientPlaces: PlaceBounds = {
  callers: { ...defaultPlaces.callers, patienceMillis: respondWithinMillis },
  requests: { ...defaultPlaces.requests, patienceMillis: respondWithinMillis },
  large: { ...defaultPlaces.large, patienceMillis: respondWithinMillis },
};

/** Compiled once for all services of a test file. */
let contract: ReturnType<typeof loadPublicContract> | undefined;

export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const {
    signatureRequired = false,
    ingestQueueUploads = 512,
    signup = 'open',
    dashboardOrigins = [],
    change = (deps) => deps,
    findStore,
    dashboard,
  } = options;
  const log = options.log ?? createLog('silent');
  const database = await createTestDatabase({ log, plain: options.plain });
  await ensureEventPartitions(database.pool);
  const keys = {
    encryptionKeys: [Buffer.alloc(32, 1)] as [Buffer],
    tokenKeys: [Buffer.alloc(32, 2)] as [Buffer],
  };
  const { quota } = options;
  const config = { ...keys, production: false, signatureRequired, ingestQueueUploads, signup, ...(quota && { quota }) };
  const now = options.now ?? (() => new Date());
  const attemptLimits = options.attemptLimits ?? {
    ...{ perAccount: 1_000, perAddress: 10_000, windowSeconds: 900 },
    ...{ perMailbox: 1_000, askedPerMailbox: 1_000, askedPerMailboxAndSite: 1_000, perOrganization: 1_000 },
  };
  // Connects at the first question.
  const bounds = { ...questionBounds, patienceMillis: respondWithinMillis, timeoutMillis: respondWithinMillis };
  const openAnalytics = () => createDatabaseEngine({ connection: { connectionString: database.url }, log, bounds });
  const { tracing } = options;
  const foundation = {
    config,
    database,
    log,
    tracing,
    now,
    attemptLimits,
    patience,
    openAnalytics,
    ...(findStore && { findStore }),
  };
  const deps = change(composeDeps(foundation));
  const admin = await createAdminApi({
    sdl: await readFile(projectFile('schema.graphql'), 'utf8'),
    production: false,
    deps,
    strangerLimits: options.strangerLimits ?? { requests: 1_000_000, windowSeconds: 60 },
    places: options.places ?? patientPlaces,
  });
  contract ??= loadPublicContract(projectFile('openapi.yaml'), Object.keys(operations));
  const listener = await listen(
    createApp(
      { contract: await contract, admin, dashboardOrigins, dashboard, trustedProxies: options.trustedProxies ?? 0 },
      deps,
    ),
    {
      port: 0,
      host: '127.0.0.1',
    },
  );
  const encryption = createEncryption(...keys.encryptionKeys);
  const newApplication = () => createApplication(database.prisma, encryption);
  const end = async () => {
    await listener.drain(2_000);
    await admin.stop();
    await deps.campaigns.stop();
    await deps.keyUses.stop();
    await deps.analytics.close();
    await deps.issues.stop();
    await deps.quotas.stop();
    await database.drop();
  };
  let ended: Promise<void> | undefined;
  const stop = () => (ended ??= end());
  const service: TestService = {
    url: listener.url,
    database,
    deps,
    application: await newApplication(),
    newApplication,
    withNewApplication: async () => ({ ...service, application: await newApplication() }),
    client: await createContractClient(listener.url),
    stop,
    [Symbol.asyncDispose]: stop,
  };
  return service;
}
