// One phase of the limit: COPY of as many events as the service has stored, again and again, without a load generator.
import type pg from 'pg';
import type { TestApplication } from '../../../support/testWorkspace.ts';
import type { Shape } from '../shapes.ts';
import { withClient, type BenchServer } from '../targets/benchDatabase.ts';
import { copyEvents, copyRows } from '../targets/copyRows.ts';
import { difference, processorTime, sum, usage, type Phase, type Usage, type Work } from './phase.ts';

export interface CopyPhasePlan {
  databaseUrl: string;
  shape: Shape;
  /** Events of each COPY. */
  events: number;
  /** The least time spent on copying. */
  seconds: number;
  seed: number;
  name: string;
  application: TestApplication;
}

/**
 * Repeats COPY until the seconds are full. On a machine that is fast in one second and slow in the next, a single COPY
 * would show one moment and the other phases an average. The median of all rounds would then be that of the fast
 * moments.
 */
export async function runCopyPhase(plan: CopyPhasePlan, server: BenchServer): Promise<Phase> {
  return withClient(plan.databaseUrl, async (client) => {
    await createTable(client);
    await client.query('CHECKPOINT');
    const before = await newestRef(client);
    const copies: Copied[] = [];
    const total = (part: keyof Work): number => sum(copies.map((copied) => copied[part]));
    do copies.push(await copyOnce(client, plan, server));
    while (total('seconds') < plan.seconds);
    const work = { events: total('events'), seconds: total('seconds'), cpuSeconds: total('cpuSeconds') };
    await checkStored(client, { before, events: work.events });
    const [postgres, machine] = [
      sum(copies.map((copied) => copied.postgres)),
      sum(copies.map((copied) => copied.machine)),
    ];
    const spent = processorTime({ target: null, postgres, machine }, work);
    return {
      eventsPerSecond: work.events / work.seconds,
      uploadsPerSecond: NaN,
      p50Millis: NaN,
      p99Millis: NaN,
      ...spent,
      constantMicros: spent.cpuMicros.postgres,
    };
  });
}

type Copied = Work & Usage;

/** The rows are made before the clock starts. */
async function copyOnce(client: pg.Client, plan: CopyPhasePlan, server: BenchServer): Promise<Copied> {
  const firstRef = (await newestRef(client)) + 1;
  const { data, events } = copyRows({ ...plan, applicationId: plan.application.id, firstRef });
  const before = { all: usage([], server), own: process.cpuUsage() };
  const seconds = await copyEvents(client, data);
  const spent = difference(before.all, usage([], server));
  const { user, system } = process.cpuUsage(before.own);
  return { ...spent, events, seconds, cpuSeconds: (user + system) / 1e6 };
}

async function checkStored(client: pg.Client, { before, events }: { before: number; events: number }): Promise<void> {
  const { rows } = await client.query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM copied_events WHERE session_ref > $1',
    [before],
  );
  if (rows[0]!.count !== events) throw new Error(`copied ${events} events, stored ${rows[0]!.count}`);
}

async function createTable(client: pg.Client): Promise<void> {
  await client.query(`CREATE TABLE IF NOT EXISTS copied_events (LIKE events INCLUDING DEFAULTS,
    PRIMARY KEY (session_ref, id, device_key, anchored_on))`);
}

async function newestRef(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ ref: string }>(
    'SELECT coalesce(max(session_ref), 0) AS ref FROM copied_events',
  );
  return Number(rows[0]!.ref);
}
