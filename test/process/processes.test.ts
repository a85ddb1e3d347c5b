// Two processes of the built service on one database, called in turn: neither holds state that the other needs.
import {
  CampaignWithStatsDocument,
  ChangeCampaignStateDocument,
  CreateApiKeyDocument,
  DeleteApplicationDocument,
  DeviceSessionsDocument,
  EditApplicationDocument,
  EditCampaignDocument,
  EditProjectDocument,
  LoginDocument,
  MeDocument,
  RefreshTokenDocument,
  RevokeApiKeyDocument,
  SignupDocument,
} from '../../generated/dashboard/graphql.ts';
import { withinASecond } from '../support/campaigns.ts';
import { createContractClient, type ContractResponse, type ContractClient } from '../support/contractClient.ts';
import { dashboardClient, type DashboardClient } from '../support/dashboardClient.ts';
import { clearAway, newDataDir, startService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { aDevice, anEvent, aReport, aSession, json, signedHeaders } from '../support/uploads.ts';

const account = { email: 'olga@example.com', password: 'a fine phrase of the owner' };

interface Key {
  public: string;
  secret: string;
}

interface Process {
  client: ContractClient;
  nobody: DashboardClient;
  owner: DashboardClient;
}

let database: TestDatabase;
let one: Process;
let other: Process;
let refreshToken: string;
beforeAll(async () => {
  database = await createTestDatabase();
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: newDataDir(),
    SESSION_SIGNATURE: 'required',
    ENCRYPTION_KEY: Buffer.alloc(32, 5).toString('base64'),
    TOKEN_KEY: Buffer.alloc(32, 6).toString('base64'),
  };
  const urls = [(await startService(env)).url, (await startService(env)).url] as const;
  const { signup } = await dashboardClient(urls[0]).ask(SignupDocument, {
    input: { ...account, organization: 'Acme', name: 'Olga' },
  });
  refreshToken = signup.refreshToken;
  const connect = async (url: string): Promise<Process> => {
    const nobody = dashboardClient(url);
    return { client: await createContractClient(url), nobody, owner: nobody.as(signup.token) };
  };
  [one, other] = [await connect(urls[0]), await connect(urls[1])];
});
afterAll(async () => {
  await clearAway();
  await database.drop();
});

/** The first, the second, the first … */
function limiter(count: number): Process[] {
  return Array.from({ length: count }, (_, index) => (index % 2 === 0 ? one : other));
}

async function newApplication({ owner }: Process): Promise<{ id: string; key: Key }> {
  const { projectEdit } = await owner.ask(EditProjectDocument, { input: { name: 'Games' } });
  const { applicationEdit } = await owner.ask(EditApplicationDocument, {
    input: { projectId: projectEdit.id, name: 'Runner', bundleId: 'com.example.runner', platform: 'iOS' },
  });
  const { id } = applicationEdit;
  const { apiKeyCreate } = await owner.ask(CreateApiKeyDocument, { applicationId: id });
  return { id, key: apiKeyCreate };
}

const upload = (
  { client }: Process,
  { nonce, ...key }: Key & { nonce?: string },
  report: object,
): Promise<ContractResponse> => {
  const body = json(report);
  return client.send('reportSessions', signedHeaders(key, body, nonce === undefined ? {} : { nonce }), body);
};
const statusOf = async (process: Process, key: Key) => (await upload(process, key, aReport())).status;
const configuration = ({ client }: Process, key: Key) => client.get('getCampaigns', { 'X-Api-Key': key.public });

async function storedEvents({ owner }: Process, applicationId: string, id: string): Promise<number[]> {
  const { device } = await owner.ask(DeviceSessionsDocument, { applicationId, id });
  return device!.sessions.map(({ events }) => events.length);
}

test.each([
  ['the first', () => [one, other] as const],
  ['the second', () => [other, one] as const],
])('a key made through %s opens both, revoked it opens neither within a second', async (_, pair) => {
  const [maker, neighbour] = pair();
  const { key } = await newApplication(maker);
  await withinASecond(async () => (await statusOf(neighbour, key)) === 200);
  expect(await statusOf(maker, key)).toBe(200);
  await maker.owner.ask(RevokeApiKeyDocument, { public: key.public });
  await withinASecond(async () => (await statusOf(neighbour, key)) === 404);
  await withinASecond(async () => (await statusOf(maker, key)) === 404);
});

test('the keys of an application deleted through one are dead on both within a second', async () => {
  const { id, key } = await newApplication(one);
  for (const process of limiter(4)) await withinASecond(async () => (await statusOf(process, key)) === 200);
  await one.owner.ask(DeleteApplicationDocument, { id });
  await withinASecond(async () => (await statusOf(other, key)) === 404);
  await withinASecond(async () => (await statusOf(one, key)) === 404);
});

test('a nonce used at one is a retry or a replay at the other', async () => {
  const { id, key } = await newApplication(one);
  const device = aDevice();
  const report = aReport({ device, sessions: [aSession({ events: [anEvent(), anEvent()] })] });
  const nonce = 'AAECAwQFBgcICQoLDA0ODw';
  for (const process of limiter(4)) expect((await upload(process, { ...key, nonce }, report)).status).toBe(200);
  for (const process of limiter(2)) {
    expect(await upload(process, { ...key, nonce }, aReport({ device }))).toMatchObject({
      status: 403,
      body: { reason: 'nonce_reused' },
    });
  }
  expect(await storedEvents(other, id, device.id)).toEqual([2]);
});

test('one nonce at both in the same moment: one of two bodies is stored', async () => {
  const { id, key } = await newApplication(one);
  const device = aDevice();
  const nonce = 'BBECAwQFBgcICQoLDA0ODw';
  const responses = await Promise.all(
    limiter(6).map((process) => upload(process, { ...key, nonce }, aReport({ device }))),
  );
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403, 403, 403]);
  expect(await storedEvents(one, id, device.id)).toEqual([1]);
});

test('an upload repeated to both, in turn and at once, is stored and counted once', async () => {
  const { id, key } = await newApplication(one);
  const { campaignEdit } = await other.owner.ask(EditCampaignDocument, { input: { applicationId: id, name: 'Hello' } });
  const device = aDevice();
  const params = [{ name: 'campaignId', value: campaignEdit.id }];
  const shown = anEvent({ name: 'CampaignShown', type: 'system', params });
  const session = aSession({ events: [anEvent(), shown] });
  const report = aReport({ device, sessions: [session] });
  for (const process of limiter(4)) expect((await upload(process, key, report)).status).toBe(200);
  const grown = aReport({ device, sessions: [{ ...session, events: [...session.events!, anEvent()] }] });
  const responses = await Promise.all(limiter(8).map((process) => upload(process, key, grown)));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  for (const process of limiter(2)) {
    expect(await storedEvents(process, id, device.id)).toEqual([3]);
    const { campaign } = await process.owner.ask(CampaignWithStatsDocument, { id: campaignEdit.id });
    expect(campaign!.stats.shown).toBe(1);
  }
});

test('a campaign changed through one has another tag and revision on the other within a second', async () => {
  const { id, key } = await newApplication(one);
  const { campaignEdit } = await one.owner.ask(EditCampaignDocument, {
    input: {
      applicationId: id,
      name: 'Hello',
      trigger: { event: 'LevelCompleted', type: 'CUSTOM' },
      action: { type: 'message', payload: {} },
    },
  });
  const revisionOf = async (process: Process) => (await upload(process, key, aReport())).headers['x-config-revision'];
  const tagOf = async (process: Process) => (await configuration(process, key)).headers['etag'];
  let [revision, tag] = [await revisionOf(other), await tagOf(other)];
  const moves = (['ACTIVE', 'PAUSED', 'ACTIVE', 'FINISHED'] as const).map((state) => ({ id: campaignEdit.id, state }));
  for (const [index, by] of limiter(moves.length).entries()) {
    const neighbour = by === one ? other : one;
    await by.owner.ask(ChangeCampaignStateDocument, moves[index]!);
    await withinASecond(async () => (await tagOf(neighbour)) !== tag && (await revisionOf(neighbour)) !== revision);
    await withinASecond(async () => (await tagOf(by)) !== tag);
    [revision, tag] = [await revisionOf(neighbour), await tagOf(neighbour)];
    expect([await revisionOf(by), await tagOf(by)]).toEqual([revision, tag]);
  }
});

test('a login at one is good at the other, a refresh token too, and one used up at one is used up at both', async () => {
  const { login } = await one.nobody.ask(LoginDocument, { input: account });
  for (const { nobody } of limiter(4)) {
    expect((await nobody.as(login.token).ask(MeDocument, {})).me.email).toBe(account.email);
  }
  let token = login.refreshToken;
  for (const { nobody } of limiter(4)) {
    const response = await nobody.ask(RefreshTokenDocument, { token });
    token = response.refreshToken.refreshToken;
    for (const next of limiter(2)) {
      expect((await next.nobody.as(response.refreshToken.token).ask(MeDocument, {})).me.email).toBe(account.email);
    }
  }
  // The first token is used again, long after its first use: every token of its login ends, in both processes.
  await database.pool.query("UPDATE refresh_tokens SET used_at = used_at - interval '31 seconds'");
  expect(await other.nobody.refusal(RefreshTokenDocument, { token: login.refreshToken })).toEqual({
    status: 200,
    codes: ['INVALID_TOKEN'],
  });
  for (const { nobody } of limiter(2)) {
    expect(await nobody.as(login.token).refusal(MeDocument, {})).toEqual({ status: 401, codes: ['UNAUTHENTICATED'] });
  }
  expect((await other.nobody.ask(RefreshTokenDocument, { token: refreshToken })).refreshToken.token).toBeTruthy();
});
