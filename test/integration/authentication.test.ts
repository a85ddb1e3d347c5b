// An admin request without a valid bearer gets 401, and nothing of it is executed (schema.graphql, "Access").
import { SignJWT, UnsecuredJWT } from 'jose';
import { createAccessTokens } from '../../src/accounts/accessToken.ts';
import { askAdmin, type AdminRequest } from '../support/adminClient.ts';
import { statementsOf } from '../support/statements.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, putMembership, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let user: TestUser;
let now = new Date();
beforeAll(async () => {
  service = await startTestService({ now: () => now });
});
afterAll(() => service.stop());
beforeEach(async () => {
  now = new Date();
  user = await newUser(service, await newOrganization(service), 'viewer');
});

const ask = (request: AdminRequest) => askAdmin(service.url, request);
const withHeader = (authorization: string) =>
  ask({ query: '{ me { email } }', headers: { Authorization: authorization } });

test('a protected field without a bearer is 401 and nothing is executed', async () => {
  const answer = await ask({ query: '{ countries { code } me { email } }' });
  expect(answer.status).toBe(401);
  expect(JSON.parse(answer.text)).toEqual({
    errors: [{ message: 'A valid bearer token is needed.', extensions: { code: 'UNAUTHENTICATED' } }],
  });
});

test('a valid bearer is let in, whatever the case of the scheme', async () => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    const answer = await withHeader(`${scheme} ${user.token}`);
    expect([answer.status, answer.data]).toEqual([200, { me: { email: user.email } }]);
  }
});

test.each([
  ['an alias', '{ a: me { email } }'],
  ['a fragment', 'query { ...F } fragment F on Query { ...G } fragment G on Query { me { email } }'],
  ['an inline fragment', '{ ... { ... on Query { me { email } } } }'],
  ['@skip', '{ __typename me @skip(if: true) { email } }'],
  ['@include', '{ __typename ...F @include(if: false) } fragment F on Query { me { email } }'],
  ['a mutation', 'mutation { projectDelete(id: "018f3d6e-7c1a-7b3e-9a51-2f0c6d1e4b90") }'],
])('selecting by %s is selecting', async (_by, query) => {
  expect((await ask({ query })).status).toBe(401);
});

test('only the operation that runs counts', async () => {
  const query = 'query Public { id } query Protected { me { email } }';
  expect((await ask({ query, operationName: 'Public' })).data).toEqual({ id: null });
  expect((await ask({ query, operationName: 'Protected' })).status).toBe(401);
  const none = await ask({ query });
  expect([none.status, none.codes]).toEqual([400, ['OPERATION_RESOLUTION_FAILURE']]);
});

test('public fields and introspection need no bearer and ignore a bad one', async () => {
  for (const token of [null, 'nonsense', `${user.token}x`]) {
    const answer = await ask({ query: '{ id __typename __schema { queryType { name } } }', token });
    expect([answer.status, answer.data!['id']]).toEqual([200, null]);
  }
});

test('what cannot be read or is over a limit is 400 before 401, and 401 comes before validation', async () => {
  expect((await ask({ query: '{ me {' })).codes).toEqual(['GRAPHQL_PARSE_FAILED']);
  expect((await ask({ query: `{ ${'me { email } '.repeat(435)} }` })).codes).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  expect((await ask({ query: '{ me { nothing } }' })).codes).toEqual(['UNAUTHENTICATED']);
  expect((await ask({ query: '{ ...A } fragment A on Query { me { nothing } }' })).codes).toEqual(['UNAUTHENTICATED']);
  expect((await ask({ query: '{ nothing }' })).codes).toEqual(['GRAPHQL_VALIDATION_FAILED']);
});

test.each([
  ['another scheme', () => `Basic ${user.token}`],
  ['no token', () => 'Bearer'],
  ['two tokens', () => `Bearer ${user.token}, Bearer ${user.token}`],
  ['a token with something behind it', () => `Bearer ${user.token} x`],
])('401 for %s', async (_what, header) => {
  expect((await withHeader(header())).status).toBe(401);
});

test.each([
  ['signed with another key', async () => createAccessTokens(Buffer.alloc(32, 9)).issue(claims(), now)],
  ['without exp', async () => sign({ sid: user.sessionId }, (jwt) => jwt.setSubject(user.id))],
  ['without sub', async () => sign({ sid: user.sessionId }, (jwt) => jwt.setExpirationTime('1h'))],
  ['without sid', async () => sign({}, (jwt) => jwt.setSubject(user.id).setExpirationTime('1h'))],
  ['of another type', async () => sign({ sid: user.sessionId }, (jwt) => whole(jwt), { typ: 'JWT' })],
  ['of another key id', async () => sign({ sid: user.sessionId }, (jwt) => whole(jwt), { kid: 'other' })],
  ['of another algorithm', async () => sign({ sid: user.sessionId }, (jwt) => whole(jwt), { alg: 'HS512' })],
  [
    'unsigned',
    async () => new UnsecuredJWT({ sid: user.sessionId }).setSubject(user.id).setExpirationTime('1h').encode(),
  ],
  ['of a login that has no id of ours', async () => sign({ sid: 'a\0' }, whole)],
  ['of a user that has no id of ours', async () => sign({ sid: user.sessionId }, (jwt) => whole(jwt).setSubject('x'))],
  ['of a login that does not exist', async () => issue({ userId: user.id, sessionId: user.id })],
  ['of another user', async () => issue({ userId: user.sessionId, sessionId: user.sessionId })],
])('401 for a token %s', async (_what, token) => {
  expect((await withHeader(`Bearer ${await token()}`)).status).toBe(401);
});

test('the hand-made token of the cases above is let in when nothing is wrong with it', async () => {
  const token = await sign({ sid: user.sessionId }, whole);
  expect((await withHeader(`Bearer ${token}`)).status).toBe(200);
});

test('a token lives 90 minutes', async () => {
  const issued = now.getTime();
  now = new Date(issued + 90 * 60_000 - 2_000);
  expect((await user.ask('{ me { email } }')).status).toBe(200);
  now = new Date(issued + 90 * 60_000 + 1_000);
  expect((await user.ask('{ me { email } }')).status).toBe(401);
});

test('a revoked login, one past its end and a disabled user are out at once', async () => {
  const { prisma } = service.database;
  await putMembership(service, user, { status: 'disabled' });
  expect((await user.ask('{ me { email } }')).status).toBe(401);
  await putMembership(service, user, { status: 'active' });
  expect((await user.ask('{ id }')).data).toEqual({ id: user.id });
  await prisma.loginSession.update({ where: { id: user.sessionId }, data: { expiresAt: now } });
  expect((await user.ask('{ me { email } }')).status).toBe(401);
  await prisma.loginSession.update({
    where: { id: user.sessionId },
    data: { expiresAt: new Date(now.getTime() + 60_000), revokedAt: now },
  });
  expect((await user.ask('{ me { email } }')).status).toBe(401);
  expect((await user.ask('{ id }')).data).toEqual({ id: null });
});

test('a role that does not suffice is FORBIDDEN with 200, and a change of role counts from the next request on', async () => {
  const query = '{ auditLog { action } }';
  const refused = await user.ask(query);
  expect([refused.status, refused.codes]).toEqual([200, ['FORBIDDEN']]);
  await putMembership(service, user, { role: 'admin' });
  expect((await user.ask(query)).codes).not.toContain('FORBIDDEN');
});

test('one request asks for its login once', async () => {
  const statements = await statementsOf(() => user.ask('{ id me { email } organization { name } }'));
  expect(statements.filter((text) => text.includes('findLiveCaller'))).toHaveLength(1);
});

test('a database that is away logs nobody out', async () => {
  await using broken = await startTestService();
  const other = await newUser(broken, await newOrganization(broken));
  await broken.database.pool.query('ALTER TABLE login_sessions RENAME TO gone');
  const answer = await other.ask('{ me { email } }');
  expect([answer.status, answer.codes]).toEqual([500, ['INTERNAL_SERVER_ERROR']]);
  expect(answer.text).not.toMatch(/login_sessions|relation/);
});

const claims = () => ({ userId: user.id, sessionId: user.sessionId });
const issue = (of: { userId: string; sessionId: string }) => service.deps.accessTokens.issue(of, now);
const whole = (jwt: SignJWT) => jwt.setSubject(user.id).setExpirationTime('1h');

async function sign(payload: object, add: (jwt: SignJWT) => SignJWT, header: Record<string, string> = {}) {
  const [head] = user.token.split('.');
  const { kid } = JSON.parse(Buffer.from(head!, 'base64url').toString()) as { kid: string };
  const jwt = new SignJWT({ ...payload }).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid, ...header });
  return add(jwt).sign(Buffer.alloc(32, 2));
}
