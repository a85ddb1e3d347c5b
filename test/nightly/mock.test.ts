// `npm run mock`: both contracts without a database, and the faults that a request may ask for.
import { listen, type Listener } from '../../src/platform/httpServer/httpServer.ts';
import { askAdmin } from '../support/adminClient.ts';
import { createContractClient, type ContractClient } from '../support/contractClient.ts';
import { aReport, json, signedHeaders } from '../support/uploads.ts';
import { faultNames } from '../tools/mock/faults.ts';
import { createMockService } from '../tools/mock/mockService.ts';

const key = { public: 'pk_mock', secret: 'sk_mock' };

let mock: Listener;
let client: ContractClient;
beforeAll(async () => {
  mock = await listen(await createMockService(key, true), { port: 0, host: '127.0.0.1' });
  client = await createContractClient(mock.url);
});
afterAll(() => mock.drain(0));

function upload(script: string, timestamp?: number) {
  const body = json(aReport());
  const headers = signedHeaders(key, body, timestamp === undefined ? {} : { timestamp });
  return client.send('reportSessions', { ...headers, 'X-Mock-Fault': script }, body);
}

test('a script is taken step by step, and then every request gets a response', async () => {
  const statuses = [];
  for (let step = 0; step < 6; step++) statuses.push((await upload('503, none, 413,500;run=a')).status);
  expect(statuses).toEqual([503, 200, 413, 500, 200, 200]);
  expect((await upload('503, none, 413,500;run=b')).status).toBe(503);
});

test('a 503 says when to come back', async () => {
  expect((await upload('503;run=headers')).headers['retry-after']).toBe('1');
});

test('a 422 names an event to take out, or the byte at which no JSON goes on', async () => {
  const named = (await upload('422;run=event')).body as { fields: { path: string }[] };
  expect(named.fields.map(({ path }) => path)).toEqual(['sessions[0].events[0].name']);
  const { fields } = (await upload('422-json')).body as { fields: { path: string; message: string }[] };
  expect(fields).toEqual([{ path: '', message: expect.stringContaining('byte offset 5') as string }]);
});

test('a 403 says that the clock is wrong, with the time to set it to, and the next request is accepted', async () => {
  const { body, headers, status } = await upload('403');
  const { reason, serverTime } = body as { reason: string; serverTime: number };
  expect([status, reason]).toEqual([403, 'timestamp_out_of_window']);
  expect(Math.abs(Date.parse(headers['date']!) / 1_000 - serverTime)).toBeLessThanOrEqual(1);
  expect((await upload('403', serverTime)).status).toBe(200);
});

test('a response that is cut was worked for: the same nonce with another body is reused afterwards', async () => {
  const body = json(aReport());
  const nonce = 'AAECAwQFBgcICQoLDA0ODw';
  const headers = signedHeaders(key, body, { nonce });
  await expect(client.send('reportSessions', { ...headers, 'X-Mock-Fault': 'cut' }, body)).rejects.toThrow(
    /aborted|hang up|ECONNRESET/,
  );
  expect((await client.send('reportSessions', signedHeaders(key, body, { nonce }), body)).status).toBe(200);
  const other = json(aReport());
  expect((await client.send('reportSessions', signedHeaders(key, other, { nonce }), other)).status).toBe(403);
});

test.each(['http://localhost:3000', 'http://localhost:5173'])('a dashboard at %s may call it', async (origin) => {
  const headers = { Origin: origin, 'Access-Control-Request-Method': 'POST' };
  const preflight = await fetch(`${mock.url}/admin/graphql/`, { method: 'OPTIONS', headers });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
});

test('the response to a word that is no fault lists those that are', async () => {
  const response = await fetch(`${mock.url}/api/v1/session`, { method: 'POST', headers: { 'X-Mock-Fault': '504' } });
  expect(response.status).toBe(400);
  const { message } = (await response.json()) as { message: string };
  for (const name of faultNames) expect(message).toContain(name);
});

test('checks are the real ones', async () => {
  const body = json({ ...aReport(), user: 7 });
  expect((await client.send('reportSessions', signedHeaders(key, body), body)).status).toBe(422);
  expect((await client.send('reportSessions', signedHeaders({ ...key, secret: 'x' }, body), body)).status).toBe(403);
  expect((await client.get('getCampaigns', { 'X-Api-Key': 'pk_other' })).status).toBe(404);
});

test('the configuration is the example of the contract', async () => {
  const { body } = await client.get('getCampaigns', { 'X-Api-Key': key.public });
  expect((body as { campaigns: { name: string }[] }).campaigns[0]!.name).toBe('Autumn offer');
});

const ask = (query: string, token: string | null = 'any') => askAdmin(mock.url, { query, variables: {}, token });

test('every root field responds in the shape of the schema, and mutations give back what was sent', async () => {
  const workspace = await ask('{ organization { name projects { id applications { bundleId apiKeys { public } } } } }');
  expect(workspace.errors).toEqual([]);
  const edited = await ask('mutation { projectEdit(input: { name: "Games" }) { id name } }');
  expect(edited.data).toEqual({ projectEdit: { id: expect.any(String) as string, name: 'Games' } });
});

test('protected fields want a bearer token, wrong queries are refused', async () => {
  expect(await ask('{ me { email } }', null)).toMatchObject({ status: 401, codes: ['UNAUTHENTICATED'] });
  expect(await ask('{ me { nothing } }')).toMatchObject({ codes: ['GRAPHQL_VALIDATION_FAILED'] });
});

test('inputs are judged by the service itself, and an operation responds by what it knows without stored data', async () => {
  const invited = await ask('mutation { userInvite(input: { email: "nobody", role: "king" }) { email } }');
  expect(invited.codes).toEqual(['BAD_USER_INPUT']);
  expect(JSON.stringify(invited.errors)).toMatch(/input\.email.*input\.role/);
  expect(await ask('{ campaigns(limit: 0) { id } }')).toMatchObject({ codes: ['BAD_USER_INPUT'] });
  const weak = '{ email: "ann@example.com", password: "password", organization: "Shop", name: "Ann" }';
  expect(await ask(`mutation { signup(input: ${weak}) { token } }`, null)).toMatchObject({ codes: ['BAD_USER_INPUT'] });
  const { countries } = (await ask('{ countries { code } }', null)).data as { countries: unknown[] };
  expect(countries.length).toBe(249);
});

test('a token that names a role has that role', async () => {
  expect(await ask('{ auditLog { action } }', 'viewer')).toMatchObject({ codes: ['FORBIDDEN'] });
  expect((await ask('{ auditLog { action } }', 'admin')).errors).toEqual([]);
});

test('values are of the kind that their descriptions promise', async () => {
  const { data } = await ask('{ me { role } campaigns { id trigger { filters { value } } targeting { countries } } }');
  const campaign = { trigger: { filters: [{ value: 20 }] }, targeting: { countries: ['DE'] } };
  expect(data).toMatchObject({ me: { role: 'owner' }, campaigns: [campaign, campaign] });
  const [one, other] = (data as { campaigns: { id: string }[] }).campaigns;
  expect(one!.id).not.toBe(other!.id);
});
