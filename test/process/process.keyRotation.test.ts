// Both secret keys are replaced under traffic, process by process, and no request or login fails.
import type { Pool } from 'pg';
import {
  CreateApiKeyDocument,
  EditApplicationDocument,
  EditProjectDocument,
  MeDocument,
  RefreshTokenDocument,
  SignupDocument,
} from '../../generated/dashboard/graphql.ts';
import { resealColumn } from '../../src/platform/database/reseal.ts';
import type { Statement } from '../../src/platform/database/sqlClient.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { sealedColumns } from '../../src/compose/sealedColumns.ts';
import { dashboardClient, type DashboardClient } from '../support/dashboardClient.ts';
import { newAccount } from '../support/fakeStore.ts';
import { keyList, testKey } from '../support/keys.ts';
import { setCredentials } from '../support/purchases.ts';
import { storeWebhook } from '../support/webhooks.ts';
import { startTraffic, type Traffic } from '../support/rollingTraffic.ts';
import { clearAway, runBuilt, startService, type RunningService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { createApplication } from '../support/testWorkspace.ts';
import { aReport, json, signedHeaders } from '../support/uploads.ts';

const timeout = 600_000;
const email = 'olga@example.com';
let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await clearAway();
  await database.drop();
}, timeout);

interface Keys {
  encryption: string[];
  token: string[];
}

interface Owner {
  client: (service: RunningService) => DashboardClient;
  applicationId: string;
  key: { public: string; secret: string };
  refreshToken: string;
}

const env = ({ encryption, token }: Keys) => ({
  DATABASE_URL: database.url,
  SESSION_SIGNATURE: 'required',
  ENCRYPTION_KEY: keyList(...encryption),
  TOKEN_KEY: keyList(...token),
});

async function signUp(service: RunningService): Promise<Owner> {
  const nobody = dashboardClient(service.url);
  const input = { email, password: 'a fine phrase', organization: 'Acme', name: 'Olga' };
  const { signup } = await nobody.ask(SignupDocument, { input });
  const client = nobody.as(signup.token);
  const { projectEdit } = await client.ask(EditProjectDocument, { input: { name: 'Games' } });
  const { applicationEdit } = await client.ask(EditApplicationDocument, {
    input: { projectId: projectEdit.id, name: 'Runner', bundleId: 'com.example.runner', platform: 'iOS' },
  });
  const { apiKeyCreate } = await client.ask(CreateApiKeyDocument, { applicationId: applicationEdit.id });
  const { refreshToken } = signup;
  const clientOf = ({ url }: RunningService) => dashboardClient(url, signup.token);
  return { client: clientOf, applicationId: applicationEdit.id, key: apiKeyCreate, refreshToken };
}

async function upload({ url }: RunningService, key: Owner['key']): Promise<void> {
  const body = json(aReport());
  const answer = await fetch(`${url}/api/v1/session`, { method: 'POST', headers: signedHeaders(key, body), body });
  if (answer.status !== 200) throw new Error(`an upload was answered ${answer.status}: ${await answer.text()}`);
}

/** Sends uploads, reads that need the first token, and sometimes creates a key, which the other process must decrypt. */
function sendInTurn({ client, applicationId, key }: Owner): (service: RunningService) => Promise<void> {
  const keys = [key];
  let turn = 0;
  return async (service) => {
    turn += 1;
    if (turn % 25 === 0) keys.push((await client(service).ask(CreateApiKeyDocument, { applicationId })).apiKeyCreate);
    else if (turn % 3 === 0) await client(service).ask(MeDocument, {});
    else await upload(service, keys[turn % keys.length]!);
  };
}

async function restartEach(
  services: RunningService[],
  traffic: Traffic<RunningService>,
  keys: Keys,
): Promise<RunningService[]> {
  const restarted: RunningService[] = [];
  for (const service of services) {
    await traffic.remove(service);
    expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
    const next = await startService(env(keys));
    restarted.push(next);
    const { done } = traffic.outcome();
    traffic.add(next);
    while (traffic.outcome().done < done + 25) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return restarted;
}

async function rotate(keys: Keys): Promise<string> {
  const rotation = runBuilt('src/programs/rotateKeys.js', { ...env(keys), LOG_LEVEL: 'error' });
  expect(await rotation.ended).toEqual({ code: 0, signal: null });
  return rotation.stdout();
}

test(
  'no request fails, tokens of the old key stay good, and afterwards the old key is needed by nothing',
  async () => {
    const only = { encryption: ['old'], token: ['old token'] };
    let services = [await startService(env(only)), await startService(env(only))];
    const owner = await signUp(services[0]!);
    const traffic = startTraffic(sendInTurn(owner), { senders: 2 });
    services.forEach((service) => traffic.add(service));
    // First every process learns the new keys, then every process uses them.
    services = await restartEach(services, traffic, { encryption: ['old', 'new'], token: ['old token', 'new token'] });
    const used = { encryption: ['new', 'old'], token: ['new token', 'old token'] };
    services = await restartEach(services, traffic, used);
    expect(await rotate(used)).toMatch(/^api_keys: [1-9]\d* sealed anew, 0 not readable\n/);
    const [last] = await restartEach(services.slice(0, 1), traffic, { ...used, encryption: ['new'] });
    await traffic.stop();
    expect(traffic.outcome().failures).toEqual([]);
    expect(traffic.outcome().done).toBeGreaterThan(100);
    const again = await dashboardClient(last!.url).ask(RefreshTokenDocument, { token: owner.refreshToken });
    expect((await dashboardClient(services[1]!.url, again.refreshToken.token).ask(MeDocument, {})).me.email).toBe(
      email,
    );
  },
  timeout,
);

test('every sealed column is known, and what cannot be opened is counted and left', async () => {
  const { rows } = await database.pool.query<{ place: string }>(
    `SELECT table_name || '.' || column_name AS place FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name LIKE '%\\_encrypted' ORDER BY 1`,
  );
  expect(sealedColumns.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(rows.map(({ place }) => place));
  for (const name of ['old', 'lost', 'old']) {
    await createApplication(database.prisma, createEncryption(testKey(name)));
  }
  const [apiKeys] = sealedColumns;
  const encryption = createEncryption(testKey('new'), testKey('old'));
  const before = await database.prisma.apiKey.findMany({ orderBy: { id: 'asc' } });
  expect(await resealColumn(database.pool, encryption, apiKeys!)).toEqual({ resealed: 2, unreadable: 1 });
  expect(await resealColumn(database.pool, encryption, apiKeys!)).toEqual({ resealed: 0, unreadable: 1 });
  const after = await database.prisma.apiKey.findMany({ orderBy: { id: 'asc' } });
  const changed = after.filter(
    (row, index) => !Buffer.from(row.secretEncrypted).equals(before[index]!.secretEncrypted),
  );
  expect(changed).toHaveLength(2);
  for (const { id, secretEncrypted } of changed) {
    expect(createEncryption(testKey('new')).decrypt(secretEncrypted, id)).toMatch(/^sec_/);
  }
});

test('secrets of any table that cannot be opened fail the rotation, which seals the others', async () => {
  await createApplication(database.prisma, createEncryption(testKey('lost')));
  const { id } = await createApplication(database.prisma, createEncryption(testKey('old')));
  await setCredentials({ database, application: { id } }, newAccount(), createEncryption(testKey('old')));
  await storeWebhook({ database }, id, { encryption: createEncryption(testKey('old')) });
  const rotation = runBuilt('src/programs/rotateKeys.js', {
    ...env({ encryption: ['new', 'old'], token: ['token'] }),
    LOG_LEVEL: 'error',
  });
  expect(await rotation.ended).toEqual({ code: 1, signal: null });
  expect(rotation.stdout()).toBe(
    'api_keys: 1 sealed anew, 1 not readable\nstore_credentials: 1 sealed anew, 0 not readable\nwebhooks: 1 sealed anew, 0 not readable\n',
  );
  expect(rotation.stderr()).toContain('ENCRYPTION_KEY');
});

test('a secret that is changed while it is sealed anew stays as it was changed', async () => {
  await createApplication(database.prisma, createEncryption(testKey('old')));
  const { pool } = database;
  const [apiKeys] = sealedColumns;
  const changed = Buffer.from('changed meanwhile');
  // The change happens between the read of a row and its write.
  const changing = {
    async query(statement: Statement) {
      if (statement.text.includes(' UPDATE ')) await pool.query('UPDATE api_keys SET secret_encrypted = $1', [changed]);
      return pool.query(statement);
    },
  };
  const encryption = createEncryption(testKey('new'), testKey('old'));
  expect(await resealColumn(changing as unknown as Pool, encryption, apiKeys!)).toEqual({ resealed: 0, unreadable: 0 });
  const { secretEncrypted } = await database.prisma.apiKey.findFirstOrThrow();
  expect(Buffer.from(secretEncrypted)).toEqual(changed);
});
