// query ingestIssues: what is counted, by which line and day, from several processes, and that no value is in it.
import { randomUUID } from 'node:crypto';
import { createIssueCounts, type CountedIssue, type RefusedRequest } from '../../src/analytics/issues/issueCounts.ts';
import { deleteOldIssues, saveIssues } from '../../src/analytics/issues/issuesStore.ts';
import { removeIssues } from '../../src/analytics/issues/removalStore.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { awayFromTurn } from '../support/awayFromTurn.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

let service: TestService;
beforeAll(async () => (service = await startTestService()));
beforeEach(() => awayFromTurn('day'));
afterAll(() => service.stop());

type Issue = CountedIssue & { day: string };
const fields = 'day operation status reason path sdkVersion appVersion count firstAt lastAt samplePath sampleMessage';

async function newApplication(timeZone = 'UTC') {
  const application = await service.newApplication();
  await service.database.pool.query('UPDATE applications SET time_zone = $1 WHERE id = $2', [timeZone, application.id]);
  const viewer = await newUser(service, await organizationOf(service, application.id), 'viewer');
  return { ...application, viewer };
}

async function issuesOf(viewer: TestUser, applicationId: string, more = ''): Promise<Issue[]> {
  const now = Date.now();
  const [from, to] = [-3, 3].map((days) => new Date(now + days * 86_400_000).toISOString().slice(0, 10));
  const { data, errors } = await viewer.ask(
    `{ ingestIssues(applicationId: "${applicationId}", from: "${from}", to: "${to}", limit: 200 ${more}) { nodes { ${fields} } } }`,
  );
  expect(errors).toEqual([]);
  return (data as { ingestIssues: { nodes: Issue[] } }).ingestIssues.nodes;
}

const [store, session] = ['/api/v1/tm/store', '/api/v1/session'];
const post = (
  key: string,
  body: unknown,
  { path = store, ...headers }: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Api-Key': key, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const refused = (applicationId: string, change: Partial<RefusedRequest> = {}): RefusedRequest => ({
  ...{ applicationId, operation: 'reportSessions', sdkVersion: 5_002, appVersion: null, at: new Date() },
  faults: [{ status: 422, reason: 'required', path: 'sessions[3].id', message: 'is required' }],
  ...change,
});

/** As another process of the service has it. */
const newProcess = () =>
  createIssueCounts({ save: (issues) => saveIssues(service.database.pool, issues), log: createLog('silent') });

test('a refused upload is a line for each different path, and never a value', async () => {
  const { id, key, viewer } = await newApplication();
  const secret = 'anna@example.com';
  const device = { properties: { sdkVersionNormalized: 5_002, appVersionNormalized: secret }, id: 7 };
  const body = { device, sessions: [{ id: secret }, { id: secret }, { userId: secret }] };
  for (let times = 0; times < 2; times += 1) {
    expect((await post(key.public, body, { path: session })).status).toBe(422);
  }
  expect((await post(`pub_${'x'.repeat(32)}`, body)).status).toBe(404);
  await service.deps.issues.flush();
  const issues = await issuesOf(viewer, id);
  const day = new Date().toISOString().slice(0, 10);
  const shared = { day, operation: 'reportSessions', status: 422, sdkVersion: 5_002, appVersion: null, count: 2 };
  for (const issue of issues) expect(issue).toMatchObject(shared);
  expect(issues).toContainEqual(expect.objectContaining({ path: 'device.id', reason: 'type' }));
  expect(issues).toContainEqual(expect.objectContaining({ path: 'device.properties.appVersionNormalized' }));
  const inList = issues.filter(({ path }) => path.startsWith('sessions[].'));
  expect(inList.length).toBeGreaterThan(0);
  expect(inList[0]!.samplePath).toMatch(/^sessions\[\d\]\./);
  expect(JSON.stringify(issues)).not.toContain(secret);
});

test('a refusal of the whole request has its word and no path', async () => {
  const { id, key, viewer } = await newApplication();
  const signed = { 'X-Signature': 'no signature', 'X-Nonce': 'n', 'X-Timestamp': '1' };
  expect((await post(key.public, {}, { path: session, ...signed })).status).toBe(403);
  expect((await post(key.public, 'x'.repeat(9_000_000))).status).toBe(413);
  expect((await post(key.public, '', { path: session, 'Content-Type': 'text/plain' })).status).toBe(415);
  expect((await post(key.public, '{"a"')).status).toBe(422);
  await service.deps.issues.flush();
  const issues = await issuesOf(viewer, id);
  const found = issues.map(({ operation, status, reason, path }) => [operation, status, reason, path]);
  expect(found.sort()).toEqual([
    ['reportSessions', 403, 'signature_malformed', ''],
    ['reportSessions', 415, 'media_type', ''],
    ['reportStoreTransactions', 413, 'bytes', ''],
    ['reportStoreTransactions', 422, 'json', ''],
  ]);
});

test('an accepted request, an unknown key and a failure of the service are not counted', async () => {
  const { id, key, viewer } = await newApplication();
  const response = await fetch(`${service.url}/api/v1/campaigns`, { headers: { 'X-Api-Key': key.public } });
  expect(response.status).toBe(200);
  await service.deps.issues.flush();
  expect(await issuesOf(viewer, id)).toEqual([]);
});

test('several processes add up, and a line keeps its first sample', async () => {
  const { id, viewer } = await newApplication();
  // Both of one day, also in the first minute after midnight.
  const noon = new Date().setUTCHours(12, 0, 0, 0);
  const [early, late] = [new Date(noon - 60_000), new Date(noon)];
  const fault = { status: 422, reason: 'required', message: 'is required' };
  const [one, other] = [newProcess(), newProcess()];
  one.note(refused(id, { at: early, faults: [3, 4].map((index) => ({ ...fault, path: `sessions[${index}].id` })) }));
  other.note(refused(id, { at: late, faults: [{ ...fault, path: 'sessions[9].id' }] }));
  other.note(refused(id, { at: late, sdkVersion: 5_003 }));
  await one.stop();
  await other.stop();
  const issues = await issuesOf(viewer, id);
  expect(issues.map(({ sdkVersion, count }) => ({ sdkVersion, count })).sort((a, b) => a.count - b.count)).toEqual([
    { sdkVersion: 5_003, count: 1 },
    { sdkVersion: 5_002, count: 2 },
  ]);
  expect(issues.find(({ count }) => count === 2)).toMatchObject({
    ...{ path: 'sessions[].id', samplePath: 'sessions[3].id', sampleMessage: 'is required' },
    ...{ firstAt: early.toISOString(), lastAt: late.toISOString() },
  });
});

test('the day is that of the application', async () => {
  const { id, viewer } = await newApplication('Pacific/Kiritimati');
  const counts = newProcess();
  const today = new Date().toISOString().slice(0, 10);
  counts.note(refused(id, { at: new Date(`${today}T09:59:00Z`) }));
  counts.note(refused(id, { at: new Date(`${today}T10:00:00Z`) }));
  await counts.stop();
  const days = (await issuesOf(viewer, id)).map(({ day }) => day);
  const tomorrow = new Date(Date.parse(today) + 86_400_000).toISOString().slice(0, 10);
  expect(days).toEqual([tomorrow, today]);
});

test('a day has 200 lines and one for all others, from one process or from two', async () => {
  const { id, viewer } = await newApplication();
  const fault = { status: 422, reason: 'type', message: 'must be string' };
  const at = new Date();
  for (const name of ['a', 'b']) {
    const counts = newProcess();
    for (let index = 0; index < 150; index += 1) {
      counts.note(refused(id, { at, faults: [{ ...fault, path: `device.${name}${index}` }] }));
    }
    await counts.stop();
  }
  const many = newProcess();
  for (let index = 0; index < 300; index += 1) {
    many.note(refused(id, { at, faults: [{ ...fault, path: `device.c${index}` }] }));
  }
  many.note(refused(id, { at, faults: [{ ...fault, path: 'device.a0' }] }));
  await many.stop();
  const { rows } = await service.database.pool.query<{ line: string; count: string }>(
    `SELECT CASE line WHEN 'other' THEN 'other' ELSE 'own' END AS line, count(*) AS lines, sum(count) AS count
     FROM ingest_issues WHERE application_id = $1 GROUP BY 1 ORDER BY 1`,
    [id],
  );
  expect(rows).toEqual([
    { line: 'other', lines: '1', count: '401' },
    { line: 'own', lines: '200', count: '200' },
  ]);
  const other = (await issuesOf(viewer, id)).find(({ reason }) => reason === 'other');
  expect(other).toMatchObject({ operation: 'other', status: 0, path: '', sdkVersion: null, count: 401 });
});

test('pages go on where the page before ended', async () => {
  const { id, viewer } = await newApplication();
  const counts = newProcess();
  const at = new Date();
  const fault = { status: 422, reason: 'type', message: 'must be string' };
  counts.note(refused(id, { at, faults: [1, 2, 3, 4, 5].map((index) => ({ ...fault, path: `f${index}` })) }));
  await counts.stop();
  const day = at.toISOString().slice(0, 10);
  const found: string[] = [];
  let after: string | null = null;
  for (let more = true; more;) {
    const { data } = await viewer.ask(
      `query P($after: String) { ingestIssues(applicationId: "${id}", from: "${day}", to: "${day}", limit: 2, after: $after) { nodes { path } endCursor hasMore } }`,
      { after },
    );
    const { ingestIssues: page } = data as {
      ingestIssues: { nodes: { path: string }[]; endCursor: string; hasMore: boolean };
    };
    found.push(...page.nodes.map(({ path }) => path));
    [after, more] = [page.endCursor, page.hasMore];
  }
  expect(found.sort()).toEqual(['f1', 'f2', 'f3', 'f4', 'f5']);
});

test('old lines go, and those of a deleted application', async () => {
  const { id, viewer } = await newApplication();
  const counts = newProcess();
  counts.note(refused(id));
  counts.note(refused(id, { at: new Date(Date.now() - 93 * 86_400_000) }));
  counts.note(refused(randomUUID()));
  await counts.stop();
  const daysOf = async () =>
    (await service.database.pool.query('SELECT day FROM ingest_issues WHERE application_id = $1', [id])).rowCount;
  expect(await daysOf()).toBe(2);
  await deleteOldIssues(service.database.pool);
  expect(await daysOf()).toBe(1);
  expect(await issuesOf(viewer, id)).toHaveLength(1);
  await removeIssues(service.database.pool, id);
  expect(await daysOf()).toBe(0);
});

test('counts that could not be stored are stored with the next ones', async () => {
  const id = randomUUID();
  const saved: CountedIssue[][] = [];
  let fails = true;
  const save = async (issues: CountedIssue[]): Promise<void> => {
    if (fails) throw new Error('away');
    saved.push(issues);
  };
  const counts = createIssueCounts({ save, log: createLog('silent') });
  counts.note(refused(id));
  await counts.flush();
  counts.note(refused(id));
  fails = false;
  await counts.stop();
  expect(saved.map((issues) => issues.map(({ count }) => count))).toEqual([[2]]);
});
