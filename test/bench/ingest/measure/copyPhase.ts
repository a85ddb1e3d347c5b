// One phase of the limit: COPY of as many events as the service has stored, again and again, with no load generator beside it.
import type pg from 'pg';
import type { TestApplication } from '../../../support/testWorkspace.ts';
import type { Shape } from '../shapes.ts';
import { withClient, type BenchServer } from '../targets/benchDatabase.ts';
import { copyEvents, copyRows } from '../targets/copyRows.ts';
import { sum, type Phase } from './phase.ts';
import { cpuSeconds, machineSeconds } from './processUsage.ts';

export interface CopyPhasePlan {
  databaseUrl: string;
  shape: Shape;
  /** Of each COPY. */
  events: number;
  /** Of copying, at least. */
  seconds: number;
  seed: number;
  name: string;
  application: TestApplication;
}

/**
 * As many copies as fill the seconds. Of a machine that is fast in one second and slow in the next, one COPY would show a
 * moment where the others' phases show an average, and the median of all rounds that of the fast moments.
 */
export async function runCopyPhase(plan: CopyPhasePlan, server: BenchServer): Promise<Phase> {
  return withClient(plan.databaseUrl, async (client) => {
    await createTable(client);
    await client.query('CHECKPOINT');
    const before = await newestRef(client);
    const copies: Copied[] = [];
    const total = (part: keyof Copied): number | null => sum(copies.map((copied) => copied[part]));
    do copies.push(await copyOnce(client, plan, server));
    while (total('seconds')! < plan.seconds);
    const [events, seconds, load] = [total('events')!, total('seconds')!, total('load')!];
    const [postgres, machine] = [total('postgres'), total('machine')];
    await checkStored(client, { before, events });
    const micros = postgres === null ? null : (postgres * 1e6) / events;
    return {
      eventsPerSecond: events / seconds,
      uploadsPerSecond: NaN,
      p50Millis: NaN,
      p99Millis: NaN,
      cpuMicros: { target: null, postgres: micros, load: (load * 1e6) / events },
      constantMicros: micros,
      otherCores: machine === null ? null : Math.max(0, (machine - (postgres ?? 0) - load) / seconds),
    };
  });
}

/** Processor time in seconds; null where the system does not tell. */
interface Copied {
  events: number;
  seconds: number;
  postgres: number | null;
  machine: number | null;
  load: number;
}

/** The rows are made before the clock starts. */
async function copyOnce(client: pg.Client, plan: CopyPhasePlan, server: BenchServer): Promise<Copied> {
  const firstRef = (await newestRef(client)) + 1;
  const { data, events } = copyRows({ ...plan, applicationId: plan.application.id, firstRef });
  const before = { ...usage(server), load: process.cpuUsage() };
  const seconds = await copyEvents(client, data);
  const after = usage(server);
  const { user, system } = process.cpuUsage(before.load);
  const spent = (part: keyof typeof after): number | null =>
    before[part] === null || after[part] === null ? null : after[part] - before[part];
  return { events, seconds, postgres: spent('postgres'), machine: spent('machine'), load: (user + system) / 1e6 };
}

function usage(server: BenchServer) {
  return { postgres: cpuSeconds(server.pid, { children: true }), machine: machineSeconds() };
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
