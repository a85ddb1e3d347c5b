// One organization and strangers flood the admin API: users of another organization have responses meanwhile, half of them within two seconds.
import { setTimeout as pause } from 'node:timers/promises';
import { worstDocuments } from '../bench/ingest/targets/worstDocuments.ts';
import { percentile } from '../bench/ingest/measure/statistics.ts';
import { postAdmin, type AdminRequest } from '../support/adminClient.ts';
import { clearAway, type RunningService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { startFaultService } from './support/faultService.ts';
import { isLong, slack } from './support/form.ts';
import { testFault } from './support/scenario.ts';
import { askTimed, countsOfStatuses, sortedMillis, type TimedResponse } from './support/timedAdmin.ts';

const halfWithinMillis = 2_000;
const flooding = isLong ? { members: 100, strangers: 30 } : { members: 40, strangers: 10 };
const users = 5;
/** Users look at a screen, and not as fast as they can. */
const betweenReads = 100;
const warmUps = 140;

let database: TestDatabase;
let service: RunningService;
beforeAll(async () => {
  database = await createTestDatabase();
  service = await startFaultService(database.url, { ROLE: 'admin', ANALYTICS: 'off', SIGNUP: 'open' });
}, 120_000);
afterAll(async () => {
  await clearAway();
  await database.drop();
});

async function signUp(name: string): Promise<string> {
  const input = { email: `${name}@example.com`, password: 'a phrase for the flood', organization: name, name };
  const query = 'mutation M($input: RegistrationUserInput!) { signup(input: $input) { token } }';
  const response = await postAdmin(service.url, { query, variables: { input } });
  const { data } = (await response.json()) as { data: { signup: { token: string } } };
  return data.signup.token;
}

const ask = (request: AdminRequest): Promise<TimedResponse> => askTimed(service.url, request);

testFault({
  name: 'a flood of the admin API by one organization and by strangers',
  // Seconds, and longer than any response takes, so that one which waits for the end of the flood is seen.
  times: { short: 12, long: 20 },
  async run(context) {
    const [flooder, user] = [await signUp('flood'), await signUp('user')];
    const documents = Object.values(worstDocuments);
    const worst = (at: number): AdminRequest => documents[at % documents.length]!(at);
    // A process that has just started compiles its code during the first of them, and responds in some ten seconds.
    for (let at = 0; at < warmUps; at++) await ask({ ...worst(at), token: at % 2 === 0 ? flooder : user });
    const until = performance.now() + context.times * 1_000;
    const clients = async (
      count: number,
      client: (at: number) => Promise<TimedResponse>,
      rest = 0,
    ): Promise<TimedResponse[]> => {
      let at = 0;
      const responses: TimedResponse[] = [];
      const run = async (): Promise<void> => {
        while (performance.now() < until) {
          responses.push(await client(at++));
          if (rest > 0) await pause(rest);
        }
      };
      await Promise.all(Array.from({ length: count }, run));
      return responses;
    };
    const [members, strangers, watched] = await Promise.all([
      clients(flooding.members, (at) => ask({ ...worst(at), token: flooder })),
      clients(flooding.strangers, (at) => ask(worst(at))),
      clients(users, () => ask({ query: '{ me { email } organizations { id name } }', token: user }), betweenReads),
    ]);
    context.injected(members.length + strangers.length);
    context.add({ acknowledged: watched.length, responses: countsOfStatuses([...members, ...strangers, ...watched]) });
    const sorted = sortedMillis(watched);
    process.stdout.write(
      `users beside a flood: ${watched.length} responses, p50 ${percentile(sorted, 0.5).toFixed(0)} ms, ` +
        `slowest ${sorted.at(-1)!.toFixed(0)} ms, ${watched.filter(({ status }) => status === 503).length} of them 503\n`,
    );
    expect(percentile(sorted, 0.5)).toBeLessThanOrEqual(halfWithinMillis * slack);
    // Nobody waits for the end of the flood.
    expect(sorted.at(-1)!).toBeLessThan(context.times * 1_000 * slack);
    const refused = [...members, ...strangers, ...watched].filter(({ status }) => status === 503);
    for (const { retryAfter, text } of refused) {
      expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
      expect(Number(retryAfter)).toBeLessThanOrEqual(300);
      expect(text).toContain('"UNAVAILABLE"');
    }
    const served = watched.filter(({ status, text }) => status === 200 && text.includes('user@example.com'));
    expect(watched.length - served.length).toBe(watched.filter(({ status }) => status === 503).length);
    expect(served.length).toBeGreaterThan(watched.length / 2);
  },
});
