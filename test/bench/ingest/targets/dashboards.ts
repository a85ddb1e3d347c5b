// (F, D) The service with a copy for analytics, and ten clients that ask it what an overview screen shows while uploads run.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { postAdmin } from '../../../support/adminClient.ts';
import { sum } from '../measure/phase.ts';
import { cpuSeconds } from '../measure/processUsage.ts';
import { percentile } from '../measure/statistics.ts';
import { withClient } from './benchDatabase.ts';
import { startApart, type ServiceOptions, type TargetApart } from './serviceTarget.ts';
import type { Target } from './target.ts';

const clients = 10;

export async function startWithCopy(options: ServiceOptions): Promise<TargetApart> {
  const dir = await mkdtemp(path.join(tmpdir(), 'analytics-bench-'));
  const target = await startApart({ ...options, env: { ANALYTICS: 'embedded', ANALYTICS_DIR: dir } });
  return {
    ...target,
    settled: () => rests(target.pids),
    async stop() {
      await target.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** `say` is told, after each phase, how long the dashboards have waited. */
export async function startWithDashboards(
  options: ServiceOptions,
  { applicationId, say }: { applicationId: string; say: (line: string) => void },
): Promise<Target> {
  const target = await startWithCopy(options);
  try {
    const { adminUrl: url } = target;
    const token = await signUp(url, options.databaseUrl, applicationId);
    const reads = readsOf(applicationId);
    return { ...target, during: () => askOnAndOn({ url, token, reads, say }) };
  } catch (error) {
    await target.stop();
    throw error;
  }
}

/** Before another target's phase: the copy works on when the uploads have ended. Resolves after a minute in any case. */
async function rests(pids: number[]): Promise<void> {
  const spent = (): number | null => sum(pids.map((pid) => cpuSeconds(pid)));
  for (let look = 0; look < 120; look++) {
    const before = spent();
    await pause(500);
    const after = spent();
    if (before === null || after === null || after - before < 0.05) return;
  }
}

/** The token of a user in the organization that has the application. */
export async function signUp(url: string, databaseUrl: string, applicationId: string): Promise<string> {
  const input = { email: 'bench@example.com', password: 'a phrase for the bench', organization: 'Bench', name: 'B' };
  const query = 'mutation M($input: RegistrationUserInput!) { signup(input: $input) { token } }';
  const { signup } = await ask(url, { query, variables: { input } });
  const move = `UPDATE projects SET organization_id = (SELECT id FROM organizations WHERE name = 'Bench')
    WHERE id = (SELECT project_id FROM applications WHERE id = $1)`;
  await withClient(databaseUrl, (client) => client.query(move, [applicationId]));
  return (signup as { token: string }).token;
}

function readsOf(applicationId: string): string[] {
  const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const about = `applicationId: "${applicationId}", from: "${day(29)}", to: "${day(0)}"`;
  const event = (name: string): string => `{ name: "${name}", type: CUSTOM }`;
  const figures = 'active new sessions medianSessionSeconds events';
  return [
    `activity(input: { ${about}, compare: true }) { points { start ${figures} } totals { ${figures} } stickiness }`,
    `eventSeries(input: { ${about}, events: [${event('LevelStarted')}, ${event('ItemViewed')}] }) { series { total points { value } } }`,
    `eventSeries(input: { ${about}, events: [${event('ScreenShown')}], breakdown: { scope: EVENT, property: "screen" } }) { series { breakdownValue total } }`,
    `funnel(input: { ${about}, steps: [${event('LevelStarted')}, ${event('ItemViewed')}, ${event('CheckoutOpened')}], within: { value: 1, unit: DAY } }) { steps { count conversion } }`,
    `retention(input: { ${about}, start: { firstSeen: true }, returning: { any: true }, interval: WEEK }) { cohorts { size periods { count } } }`,
    `eventNames(applicationId: "${applicationId}") { nodes { name count30Days params { name } } }`,
    `devices(applicationId: "${applicationId}") { total nodes { id lastSeenAt sessionsCount } }`,
    `recentEvents(applicationId: "${applicationId}") { nodes { name receivedAt } }`,
  ].map((read) => `{ ${read} }`);
}

interface Asking {
  url: string;
  token: string;
  reads: readonly string[];
  say: (line: string) => void;
}

/** Each client asks for the next read when it has the response to the last one, or a second after a refusal. Returns what ends them. */
function askOnAndOn({ url, token, reads, say }: Asking): () => Promise<void> {
  let ended = false;
  let refused = 0;
  const millis: number[] = [];
  const client = async (first: number): Promise<void> => {
    for (let at = first; !ended; at++) {
      const begun = performance.now();
      const response = await postAdmin(url, { token, query: reads[at % reads.length]! });
      const text = await response.text();
      // Uploads come first: with both cores taken, a read over many events may also be stopped for its time.
      if (text.includes('"reason":"busy"') || text.includes('takes too long')) {
        refused += 1;
        await pause(1_000);
      } else if (text.includes('"errors"')) throw new Error(text);
      else millis.push(performance.now() - begun);
    }
  };
  const begun = performance.now();
  const all = Promise.all(Array.from({ length: clients }, (_, at) => client(at)));
  // Its failure is thrown by the end.
  all.catch(() => undefined);
  return async () => {
    ended = true;
    await all;
    const seconds = (performance.now() - begun) / 1_000;
    const [p50, p95] = [0.5, 0.95].map((share) =>
      percentile(
        [...millis].sort((a, b) => a - b),
        share,
      ).toFixed(0),
    );
    say(
      `dashboards: ${(millis.length / seconds).toFixed(1)} reads a second, p50 ${p50} ms, p95 ${p95} ms, ${refused} refused`,
    );
  };
}

async function ask(url: string, request: Parameters<typeof postAdmin>[1]): Promise<Record<string, unknown>> {
  const response = await postAdmin(url, request);
  const body = (await response.json()) as { data?: Record<string, unknown>; errors?: unknown };
  if (response.status !== 200 || body.errors) throw new Error(`${JSON.stringify(body.errors)} to ${request.query}`);
  return body.data!;
}
