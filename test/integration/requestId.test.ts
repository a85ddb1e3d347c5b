// X-Request-Id: every response names its request; a proxy's id is kept, any other is replaced, and the log has the same id.
import { randomUUID } from 'node:crypto';
import type { Deps } from '../../src/deps.ts';
import { askAdmin } from '../support/adminClient.ts';
import { captureLog, type CapturedLog } from '../support/capturedLog.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';
import { aReport, json } from '../support/uploads.ts';

const given = '5f0c7a52-31f2-4c7e-9a55-0d8e1e6a9f10';
let captured: CapturedLog;
let service: TestService;
beforeAll(async () => {
  captured = captureLog();
  const uploads: Deps['uploads'] = { isFull: () => false, take: () => Promise.reject(new Error('broken on purpose')) };
  service = await startTestService({ log: captured.log, change: (deps) => ({ ...deps, uploads }) });
});
afterAll(async () => {
  await service.stop();
  captured.stop();
});

type Sent = Record<string, string>;
const key = () => ({ 'X-Api-Key': service.application.key.public });
const upload = (headers: Sent) =>
  fetch(`${service.url}/api/v1/session`, { method: 'POST', headers: { ...key(), ...headers }, body: json(aReport()) });
const ways: [string, (headers: Sent) => Promise<{ status: number; headers: Headers }>][] = [
  ['an upload', upload],
  ['a refused upload', (headers) => upload({ ...headers, 'X-Api-Key': 'pub_nobody' })],
  ['the configuration', (headers) => fetch(`${service.url}/api/v1/campaigns`, { headers: { ...key(), ...headers } })],
  ['no route', (headers) => fetch(`${service.url}/robots.txt`, { headers })],
  ['the admin API', (headers) => askAdmin(service.url, { query: '{ id }', headers })],
  ['a refusal of the admin API', (headers) => askAdmin(service.url, { query: '{ me { name } }', headers })],
  ['no route beside the admin API', (headers) => fetch(`${service.url}/admin/graphql/`, { headers })],
];
const idOf = ({ headers }: { headers: Headers }) => headers.get('X-Request-Id');

test.each(ways)('%s is answered with its name, a new one each time', async (_, send) => {
  const [one, other] = [idOf(await send({})), idOf(await send({}))];
  expect(one).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(other).not.toBe(one);
});

test.each(ways)('%s keeps the name that a proxy gave it', async (_, send) => {
  for (const name of [given, '0af7651916cd43dd8448eb211c80319c', '01ARZ3NDEKTSV4RRFFQ69G5FAV']) {
    expect(idOf(await send({ 'X-Request-Id': name }))).toBe(name);
  }
});

test.each([
  // No hexadecimal digits: ids in the log contain other short names by chance.
  ['too short', 'xyz'],
  ['too long', 'a'.repeat(65)],
  ['a secret key', `sec_${'a'.repeat(32)}`],
  ['a token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'],
  ['an address', 'somebody@example.com'],
  ['two names', `${given}, ${given}`],
])('a name of another form is not kept, and not logged: %s', async (_, name) => {
  const answer = await upload({ 'X-Request-Id': name });
  expect(answer.status).toBe(500);
  expect(idOf(answer)).not.toBe(name);
  expect(captured.text()).not.toContain(name);
});

const lines = () =>
  captured
    .text()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('the log says under the same name what failed', async () => {
  expect((await upload({ 'X-Request-Id': given })).status).toBe(500);
  const [line] = lines().filter(({ requestId }) => requestId === given);
  expect(line).toMatchObject({ level: 'error', operation: 'reportSessions', msg: 'a request failed' });
});

test('an attempt is logged by its own outcome, whatever becomes of the other fields of its operation', async () => {
  const { token } = await newUser(service, await newOrganization(service), 'viewer');
  const attemptsOf = async (fields: string): Promise<unknown[]> => {
    const headers = { 'X-Request-Id': randomUUID() };
    await askAdmin(service.url, { query: `mutation { ${fields} }`, headers, token });
    const own = lines().filter(({ requestId }) => requestId === headers['X-Request-Id']);
    return own.flatMap(({ msg, outcome }) => (msg === 'authentication' ? [outcome] : []));
  };
  const refresh = 'refreshToken(token: "none") { token }';
  const rename = 'organizationEdit(input: { name: "x" }) { id }';
  const signup = `signup(input: { email: "${randomUUID()}@example.com", password: "a fine phrase", organization: "x", name: "x" }) { token }`;
  expect(await attemptsOf(`${signup} ${rename}`)).toEqual(['OK']);
  expect(await attemptsOf(`${refresh} ${rename}`)).toEqual(['INVALID_TOKEN']);
  // After a failed field, no further field is tried.
  expect(await attemptsOf(`${rename} ${refresh}`)).toEqual([]);
});

test('attempts to get in and refusals are logged by operation and outcome, with nothing that was sent', async () => {
  const input = '{ email: "nobody@example.com", password: "a fine phrase" }';
  const headers = { 'X-Request-Id': given };
  await askAdmin(service.url, { query: `mutation { mine: login(input: ${input}) { token } }`, headers });
  await askAdmin(service.url, { query: '{ mine: me { name } }', headers });
  const own = lines().filter(({ requestId }) => requestId === given);
  const network = '127.0.0.0/24';
  expect(own).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ msg: 'authentication', operation: 'login', outcome: 'INVALID_CREDENTIALS', network }),
      expect.objectContaining({ msg: 'access refused', operations: ['me'], outcome: 'UNAUTHENTICATED', network }),
    ]),
  );
  expect(captured.text()).not.toMatch(/nobody@|fine phrase|mine|127\.0\.0\.1/);
});
