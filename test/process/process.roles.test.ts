// The built service in processes of one role each: what each answers, and that two of them make one service.
import {
  CreateApiKeyDocument,
  DeviceSessionsDocument,
  EditApplicationDocument,
  EditProjectDocument,
  SignupDocument,
} from '../../generated/dashboard/graphql.ts';
import { createContractClient } from '../support/contractClient.ts';
import { dashboardClient } from '../support/dashboardClient.ts';
import { loadPublicDocument } from '../support/publicDocument.ts';
import { clearAway, newDataDir, startService, type RunningService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { aDevice, anEvent, aReport, aSession, json, signedHeaders } from '../support/uploads.ts';

let database: TestDatabase;
let ingest: RunningService;
let admin: RunningService;
let both: RunningService;
beforeAll(async () => {
  database = await createTestDatabase();
  const env = { DATABASE_URL: database.url, DATA_DIR: newDataDir(), SESSION_SIGNATURE: 'required' };
  const start = (ROLE: string) => startService({ ...env, ROLE });
  [ingest, admin, both] = [await start('ingest'), await start('admin'), await start('api')];
});
afterAll(async () => {
  await clearAway();
  await database.drop();
});

interface Answered {
  status: number;
  body: string;
}

interface Asked {
  method?: string;
  body?: string | undefined;
}

async function ask({ url }: RunningService, path: string, { method = 'GET', body }: Asked = {}): Promise<Answered> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url + path, { method, ...(body !== undefined && { headers, body }) });
  return { status: response.status, body: await response.text() };
}

/** What every path gets that nobody serves. */
const unrouted = { status: 404, body: '{"detail":"Not Found"}' };

async function publicOperations(): Promise<[method: string, path: string][]> {
  const operations = (await loadPublicDocument()).router.getOperations();
  return operations.map(({ method, path }) => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'none')]);
}

const servesPublic = async (service: RunningService): Promise<boolean[]> => {
  const answers: boolean[] = [];
  for (const [method, path] of await publicOperations()) {
    const answer = await ask(service, path, { method, body: method === 'GET' ? undefined : '{}' });
    answers.push(answer.body !== unrouted.body);
  }
  return answers;
};

const adminRequest = (service: RunningService) =>
  ask(service, '/admin/graphql/', { method: 'POST', body: JSON.stringify({ query: '{ countries { code } }' }) });

test('ROLE=ingest answers every path of openapi.yaml, and none of the admin API or its dashboard', async () => {
  const answers = await servesPublic(ingest);
  expect(answers.length).toBeGreaterThan(4);
  expect(new Set(answers)).toEqual(new Set([true]));
  for (const path of ['/admin/', '/admin/index.html', '/admin/graphql/']) {
    expect([path, await ask(ingest, path)]).toEqual([path, unrouted]);
  }
  expect(await adminRequest(ingest)).toEqual(unrouted);
});

test('ROLE=admin answers the admin API and its dashboard, and no path of openapi.yaml', async () => {
  expect(new Set(await servesPublic(admin))).toEqual(new Set([false]));
  expect((await adminRequest(admin)).status).toBe(200);
  expect(await ask(admin, '/admin/')).toMatchObject({ status: 200, body: expect.stringMatching(/<html/i) as string });
});

test('ROLE=api answers both, and warns that it goes', async () => {
  expect(new Set(await servesPublic(both))).toEqual(new Set([true]));
  expect((await adminRequest(both)).status).toBe(200);
  expect(both.stderr()).toMatch(/^Warning: ROLE=api goes with the next release\. Use ROLE=ingest and ROLE=admin/m);
  for (const service of [ingest, admin]) expect(service.stderr()).not.toContain('Warning: ROLE');
});

test('a key made in the admin process opens the ingest process, whose uploads the admin process shows', async () => {
  const input = { email: 'olga@example.com', password: 'a fine phrase of the owner', organization: 'Acme', name: 'O' };
  const { signup } = await dashboardClient(admin.url).ask(SignupDocument, { input });
  const owner = dashboardClient(admin.url).as(signup.token);
  const { projectEdit } = await owner.ask(EditProjectDocument, { input: { name: 'Games' } });
  const { applicationEdit } = await owner.ask(EditApplicationDocument, {
    input: { projectId: projectEdit.id, name: 'Runner', bundleId: 'com.example.runner', platform: 'iOS' },
  });
  const { id: applicationId } = applicationEdit;
  const { apiKeyCreate: key } = await owner.ask(CreateApiKeyDocument, { applicationId });
  const device = aDevice();
  const body = json(aReport({ device, sessions: [aSession({ events: [anEvent(), anEvent()] })] }));
  const client = await createContractClient(ingest.url);
  expect((await client.send('reportSessions', signedHeaders(key, body), body)).status).toBe(200);
  const { device: shown } = await owner.ask(DeviceSessionsDocument, { applicationId, id: device.id });
  expect(shown!.sessions.map(({ events }) => events.length)).toEqual([2]);
});

test.each([
  ['ingest', () => ingest],
  ['admin', () => admin],
])('ROLE=%s is ready, says its role and ends in peace', async (role, service) => {
  expect((await fetch(`${service().opsUrl}/readyz`)).status).toBe(200);
  expect(service().stdout()).toMatch(new RegExp(`"role":"${role}".*"msg":"listening"`));
  expect(await service().end('SIGTERM')).toEqual({ code: 0, signal: null });
});
