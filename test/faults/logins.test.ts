// Passwords are tried on many connections from the networks of one IPv6 /48: users log in beside them, one from a known network and one from a new one.
import { setTimeout as pause } from 'node:timers/promises';
import { clearAway, type RunningService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { startFaultService } from './support/faultService.ts';
import { isLong } from './support/form.ts';
import { testFault } from './support/scenario.ts';
import { askTimed, countsOfStatuses, sortedMillis, type TimedResponse } from './support/timedAdmin.ts';

const connections = isLong ? 400 : 100;
const betweenLogins = 500;
/** Of the long form. deploy/haproxy.cfg lets a /48 have 96 requests: behind it a login takes less than a second. */
const longestMillis = 7_000;
/** Half of the passwords are tried at her account: only a network from which she has logged in has attempts left. */
const attacked = { email: 'olga@example.com', password: 'a phrase that nobody tries' };
const other = { email: 'petra@example.com', password: 'a phrase that nobody tries' };
const [known, fresh] = ['2001:db8:77:1::1', '2001:db8:78:1::1'];

let database: TestDatabase;
let service: RunningService;
beforeAll(async () => {
  database = await createTestDatabase();
  const env = { ROLE: 'admin', ANALYTICS: 'off', SIGNUP: 'open', TRUSTED_PROXIES: '1' };
  service = await startFaultService(database.url, env);
});
afterAll(async () => {
  await clearAway();
  await database.drop();
});

const ask = (query: string, input: object, from: string): Promise<TimedResponse> =>
  askTimed(service.url, { query, variables: { input }, headers: { 'X-Forwarded-For': from } });
const signUp = (user: object): Promise<TimedResponse> => {
  const query = 'mutation S($input: RegistrationUserInput!) { signup(input: $input) { token } }';
  return ask(query, { ...user, organization: 'Own', name: 'Somebody' }, known);
};
const logIn = (input: object, from: string): Promise<TimedResponse> =>
  ask('mutation L($input: LoginInput!) { login(input: $input) { token } }', input, from);

testFault({
  name: 'passwords tried from the networks of one /48',
  // Seconds.
  times: { short: 3, long: 20 },
  async run(context) {
    for (const user of [attacked, other]) await signUp(user);
    await logIn(attacked, known);
    const until = performance.now() + context.times * 1_000;
    const tried: TimedResponse[] = [];
    const flood = async (_: unknown, at: number): Promise<void> => {
      const email = at % 2 === 0 ? attacked.email : `somebody-${at}@example.com`;
      for (let times = 0; performance.now() < until; times++) {
        tried.push(await logIn({ email, password: `tried ${times}` }, `2001:db8:1:${at.toString(16)}::1`));
        context.injected();
      }
    };
    const honest: TimedResponse[] = [];
    const login = async (user: object, from: string): Promise<void> => {
      while (performance.now() < until) {
        honest.push(await logIn(user, from));
        await pause(betweenLogins);
      }
    };
    await Promise.all([...Array.from({ length: connections }, flood), login(attacked, known), login(other, fresh)]);
    context.add({ acknowledged: honest.length, responses: countsOfStatuses([...tried, ...honest]) });
    const slowest = sortedMillis(honest).at(-1)!;
    process.stdout.write(`${honest.length} honest logins, the slowest ${slowest.toFixed(0)} ms\n`);
    const refused = honest.filter(({ text }) => !text.includes('"token":"'));
    expect(refused.map(({ status, text }) => `${status} ${text}`)).toEqual([]);
    if (isLong) expect(slowest).toBeLessThan(longestMillis);
  },
});
