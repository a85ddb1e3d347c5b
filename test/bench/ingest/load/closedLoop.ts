// A closed loop: each connection sends its next upload when the last one is answered.
import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from '../measure/statistics.ts';
import { openConnection, type Connection } from './connection.ts';
import type { LoadPlan, LoadResult } from './plan.ts';
import type { PreparedUpload } from './requests.ts';

/** After the phase's end the answers under way are waited for, but not for ever. */
const lastAnswersMillis = 15_000;

export async function closedLoop(plan: LoadPlan, uploads: PreparedUpload[]): Promise<LoadResult> {
  const addresses = Array.from({ length: plan.connections }, (_, index) => plan.urls[index % plan.urls.length]!);
  const connections = await Promise.all(addresses.map(openConnection));
  const cpu = process.cpuUsage();
  const tally = {
    sent: 0,
    statuses: {} as Record<number, number>,
    latencies: [] as number[],
    acknowledged: [] as string[],
  };
  const start = performance.now();
  const next = (): PreparedUpload | undefined => {
    if (performance.now() - start >= plan.seconds * 1_000) return undefined;
    return uploads[plan.cycle ? tally.sent++ % uploads.length : tally.sent++];
  };
  const loops = connections.map((connection) => loop(connection, next, tally));
  await Promise.race([Promise.all(loops), pause(plan.seconds * 1_000 + lastAnswersMillis, undefined, { ref: false })]);
  const seconds = (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  for (const connection of connections) connection.close();
  const sorted = Float64Array.from(tally.latencies).sort();
  return {
    sent: Math.min(tally.sent, plan.cycle ? Infinity : uploads.length),
    statuses: tally.statuses,
    seconds,
    p50Millis: percentile(sorted, 0.5),
    p99Millis: percentile(sorted, 0.99),
    cpuSeconds: (user + system) / 1e6,
    acknowledged: plan.cycle ? [] : tally.acknowledged,
  };
}

interface Tally {
  statuses: Record<number, number>;
  latencies: number[];
  acknowledged: string[];
}

async function loop(connection: Connection, next: () => PreparedUpload | undefined, tally: Tally): Promise<void> {
  for (let upload = next(); upload; upload = next()) {
    const start = performance.now();
    const status = await connection.send(upload.bytes).catch(() => 0);
    tally.latencies.push(performance.now() - start);
    tally.statuses[status] = (tally.statuses[status] ?? 0) + 1;
    if (status === 200) tally.acknowledged.push(...upload.sessionIds);
    if (status === 0) return;
  }
}
