// What somebody without a login can send to the admin API, and what it may cost the process.
import { askAdmin, postAdmin } from '../support/adminClient.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const login = 'mutation L($i: LoginInput!) { login(input: $i) { token } }';
const nested = (open: string, close: string, levels: number) => `${open.repeat(levels)}${close.repeat(levels)}`;

/**
 * The least processor time of several requests, each with a comment that changes: the time on a clock depends on the other
 * tests. The first ones compile the code.
 */
async function millisOf(query: string, variables?: Record<string, unknown>): Promise<number> {
  const took: number[] = [];
  for (let at = 0; at < 20; at++) {
    const before = process.cpuUsage();
    await (await postAdmin(service.url, { query: `${query} # ${at}`, ...(variables && { variables }) })).text();
    const { user, system } = process.cpuUsage(before);
    took.push((user + system) / 1_000);
  }
  return Math.min(...took);
}

test.each([
  ['one protected field 435 times', `{ ${'me { email } '.repeat(435)} }`],
  ['one public field 435 times', `{ ${'countries { code } '.repeat(435)} }`],
  ['unknown fields behind many lines', `{ id ${'\n'.repeat(80_000)} ${'nothing '.repeat(150)} }`],
])('%s cost at most ten times the smallest document', async (_name, query) => {
  expect(await millisOf(query)).toBeLessThan(10 * (await millisOf('{ id }')));
});

test('variables with 8,000 unknown fields cost at most ten times the smallest document, and no message repeats them', async () => {
  const i = Object.fromEntries(Array.from({ length: 8_000 }, (_, at) => [`k${at}`, 1]));
  expect(await millisOf(login, { i })).toBeLessThan(10 * (await millisOf('{ id }')));
  const { text, codes } = await askAdmin(service.url, { query: login, variables: { i } });
  expect(new Set(codes)).toEqual(new Set(['BAD_USER_INPUT']));
  expect(text.length).toBeLessThan(10_000);
});

test('a network address has so many requests a minute without a valid bearer, and those with one go on', async () => {
  let now = new Date();
  const strangerLimits = { requests: 5, windowSeconds: 60 };
  await using strict = await startTestService({ strangerLimits, now: () => now });
  const user = await newUser(strict, await newOrganization(strict));
  const ask = (token?: string) => askAdmin(strict.url, { query: '{ countries { code } }', token: token ?? null });
  now = new Date(now.getTime() + 61_000);
  const statuses = [];
  for (let at = 0; at < 5; at++) statuses.push((await ask(at % 2 ? 'no-such-token' : undefined)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200]);
  now = new Date(now.getTime() + 15_000);
  const refused = await ask(`svc_${'x'.repeat(43)}`);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '45']);
  expect(refused.errors[0]!.extensions).toEqual({ code: 'RATE_LIMITED', retryAfterSeconds: 45 });
  expect((await ask(user.token)).status).toBe(200);
  now = new Date(now.getTime() + 45_000);
  expect((await ask()).status).toBe(200);
});

test('the networks of one site have ten times as many together, and another site goes on', async () => {
  const strangerLimits = { requests: 5, windowSeconds: 60 };
  await using strict = await startTestService({ strangerLimits, now: () => new Date(0), trustedProxies: 1 });
  const from = async (site: number, network: number): Promise<number> => {
    const headers = { 'X-Forwarded-For': `2001:db8:${site}:${network.toString(16)}::1` };
    return (await askAdmin(strict.url, { query: '{ countries { code } }', headers })).status;
  };
  const statuses = [];
  for (let network = 0; network < 60; network += 1) statuses.push(await from(1, network));
  expect(statuses).toEqual([...Array<number>(50).fill(200), ...Array<number>(10).fill(429)]);
  expect(await from(2, 1)).toBe(200);
});

test('no depth of nesting ends the process, is a failure, or shows a text of the runtime', async () => {
  for (const levels of [100, 300, 500, 700, 800, 900, 990]) {
    for (const query of [
      `{ id(a: ${nested('[', ']', levels)}) }`,
      `{ id(a: ${nested('[', '', 2 * levels)}) }`,
      `{ id(a: ${nested('{a:', '}', levels / 2)}) }`,
      `mutation { productEdit(input: ${nested('[', ']', levels)}) { id } }`,
      `query Q($v: ${nested('[', ']', levels).replace('[]', '[Int]')}) { id(a: $v) }`,
      nested('{ ... ', '}', (levels * 2) / 3),
      nested('{ id ', '}', (levels * 2) / 3),
    ]) {
      const { status, text } = await askAdmin(service.url, { query });
      expect([query.slice(0, 20), levels, status]).toEqual([query.slice(0, 20), levels, expect.any(Number)]);
      expect([400, 401, 200]).toContain(status);
      expect(text).not.toMatch(/call stack|RangeError|at [\w.]+ \(/i);
    }
    // As text: JSON.stringify itself has no stack for it.
    const body = `{"query":${JSON.stringify(login)},"variables":{"i":${nested('[', ']', levels * 48)}}}`;
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${service.url}/admin/graphql/`, { method: 'POST', headers, body });
    expect([response.status, /call stack/i.test(await response.text())]).toEqual([400, false]);
  }
});
