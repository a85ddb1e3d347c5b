// One user asks analytics as much as one can: another organization's requests have quick responses meanwhile, and its reads get theirs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { load } from '../bench/reads/load.ts';
import { percentile } from '../bench/ingest/measure/statistics.ts';
import type { AdminRequest } from '../support/adminClient.ts';
import { clearAway, type RunningService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { startFaultService } from './support/faultService.ts';
import { isLong } from './support/form.ts';
import { testFault } from './support/scenario.ts';
import { askTimed, countsOfStatuses, sortedMillis, type TimedResponse } from './support/timedAdmin.ts';

/** On cores that nothing else uses. */
const withinMillis = 200;
const connections = 48;
const events = isLong ? 1_000_000 : 100_000;

let database: TestDatabase;
let service: RunningService;
const dir = mkdtempSync(path.join(tmpdir(), 'admin-reads-'));
beforeAll(async () => {
  database = await createTestDatabase();
  service = await startFaultService(database.url, { ROLE: 'admin', SIGNUP: 'open' });
}, 120_000);
afterAll(async () => {
  await clearAway();
  await database.drop();
  rmSync(dir, { recursive: true, force: true });
});

const ask = (request: AdminRequest): Promise<TimedResponse> => askTimed(service.url, request);

async function result<Data>(request: AdminRequest): Promise<Data> {
  const { text } = await ask(request);
  return (JSON.parse(text) as { data: Data }).data;
}

interface Team {
  token: string;
  applicationId: string;
}

async function newTeam(name: string): Promise<Team> {
  const input = { email: `${name}@example.com`, password: 'a phrase for the reads', organization: name, name };
  const signup = 'mutation S($input: RegistrationUserInput!) { signup(input: $input) { token } }';
  const { token } = (await result<{ signup: { token: string } }>({ query: signup, variables: { input } })).signup;
  const project = 'mutation P($input: ProjectEditInput!) { projectEdit(input: $input) { id } }';
  const made = await result<{ projectEdit: { id: string } }>({ query: project, variables: { input: { name } }, token });
  const application = 'mutation A($input: ApplicationEditInput!) { applicationEdit(input: $input) { id } }';
  const of = { projectId: made.projectEdit.id, name, bundleId: `com.example.${name}`, platform: 'iOS' };
  const { applicationEdit } = await result<{ applicationEdit: { id: string } }>({
    ...{ query: application, variables: { input: of }, token },
  });
  return { token, applicationId: applicationEdit.id };
}

const seriesOf = (applicationId: string, alias: number): string =>
  `a${alias}: eventSeries(input: { applicationId: "${applicationId}", events: [{ name: "Opened", type: CUSTOM }],
    measure: COUNT, breakdown: { scope: EVENT, property: "source" }, from: "${day(-90)}", to: "${day(0)}" }) {
    series { index event breakdownValue points { start value } total } }`;

const day = (offset: number): string => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

const all = (applicationId: string): string =>
  `{ ${Array.from({ length: 15 }, (_, alias) => seriesOf(applicationId, alias)).join(' ')} }`;

testFault({
  name: 'reads of analytics by one user on 48 connections, fifteen in each request',
  times: { short: 15, long: 60 },
  async run(context) {
    const [flooder, honest] = [await newTeam('flooder'), await newTeam('honest')];
    const { url } = database;
    const given = { url, until: new Date(), progressed: () => undefined };
    await load({ ...given, applicationId: flooder.applicationId, events });
    await load({ ...given, applicationId: honest.applicationId, events: 1_000 });
    // The copy is built from what PostgreSQL has at the start.
    await service.end('SIGTERM');
    service = await startFaultService(database.url, { ROLE: 'admin', ANALYTICS: 'embedded', ANALYTICS_DIR: dir });
    const own = { query: `{ ${seriesOf(honest.applicationId, 0)} }`, token: honest.token };
    for (let tries = 0; tries < 300; tries++) {
      const response = await ask(own);
      if (!response.text.includes('ANALYTICS_UNAVAILABLE') && response.text.includes('points')) break;
      await pause(200);
    }
    const me = { query: '{ me { email } }', token: honest.token };
    for (let at = 0; at < 100; at++) await ask(me);
    const alone = median(await Promise.all(Array.from({ length: 20 }, () => ask(me))));
    const until = performance.now() + context.times * 1_000;
    const clients = async (count: number, request: AdminRequest, rest: number): Promise<TimedResponse[]> => {
      const responses: TimedResponse[] = [];
      const run = async (): Promise<void> => {
        while (performance.now() < until) {
          responses.push(await ask(request));
          if (rest > 0) await pause(rest);
        }
      };
      await Promise.all(Array.from({ length: count }, run));
      return responses;
    };
    const [bad, quick, reads] = await Promise.all([
      clients(connections, { query: all(flooder.applicationId), token: flooder.token }, 0),
      clients(1, me, 50),
      clients(1, own, 200),
    ]);
    context.injected(bad.length);
    context.add({ acknowledged: quick.length, responses: countsOfStatuses([...bad, ...quick, ...reads]) });
    const p95 = percentile(sortedMillis(quick), 0.95);
    process.stdout.write(
      `beside 48 connections: me ${quick.length}, p50 ${median(quick).toFixed(0)} ms (${alone.toFixed(0)} alone), ` +
        `p95 ${p95.toFixed(0)} ms; reads ${reads.length}, p50 ${median(reads).toFixed(0)} ms\n`,
    );
    expect(quick.filter(({ status }) => status !== 200)).toEqual([]);
    expect(reads.filter(({ text }) => !text.includes('"points"'))).toEqual([]);
    if (isLong) expect(p95).toBeLessThan(withinMillis);
    for (const { status, retryAfter } of bad) if (status === 503) expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
  },
});

const median = (responses: TimedResponse[]): number => percentile(sortedMillis(responses), 0.5);
