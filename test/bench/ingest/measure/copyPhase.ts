// One phase of the limit: COPY of as many events as the service has just stored, with no load generator beside it.
import type { TestApplication } from '../../../support/testWorkspace.ts';
import type { Shape } from '../shapes.ts';
import { withClient, type BenchServer } from '../targets/benchDatabase.ts';
import { copyEvents, copyRows } from '../targets/copyRows.ts';
import type { Phase } from './phase.ts';
import { cpuSeconds, machineSeconds } from './processUsage.ts';

export interface CopyPhasePlan {
  databaseUrl: string;
  shape: Shape;
  events: number;
  seed: number;
  name: string;
  application: TestApplication;
}

export async function runCopyPhase(plan: CopyPhasePlan, server: BenchServer): Promise<Phase> {
  const firstRef = await newestRef(plan.databaseUrl);
  const { data, events } = copyRows({ ...plan, applicationId: plan.application.id, firstRef: firstRef + 1 });
  return withClient(plan.databaseUrl, async (client) => {
    await client.query('CHECKPOINT');
    const before = { ...usage(server), load: process.cpuUsage() };
    const seconds = await copyEvents(client, data);
    const after = usage(server);
    const { user, system } = process.cpuUsage(before.load);
    const spent = (part: keyof typeof after): number | null =>
      before[part] === null || after[part] === null ? null : after[part] - before[part];
    const [postgres, machine] = [spent('postgres'), spent('machine')];
    const load = (user + system) / 1e6;
    const { rows } = await client.query<{ count: number }>(
      'SELECT count(*)::integer AS count FROM copied_events WHERE session_ref > $1',
      [firstRef],
    );
    if (rows[0]!.count !== events) throw new Error(`copied ${events} events, stored ${rows[0]!.count}`);
    return {
      eventsPerSecond: events / seconds,
      uploadsPerSecond: NaN,
      p50Millis: NaN,
      p99Millis: NaN,
      cpuMicros: {
        target: null,
        postgres: postgres === null ? null : (postgres * 1e6) / events,
        load: (load * 1e6) / events,
      },
      otherCores: machine === null ? null : Math.max(0, (machine - (postgres ?? 0) - load) / seconds),
    };
  });
}

function usage(server: BenchServer) {
  return { postgres: cpuSeconds(server.pid, { children: true }), machine: machineSeconds() };
}

function newestRef(databaseUrl: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    await client.query(`CREATE TABLE IF NOT EXISTS copied_events (LIKE events INCLUDING DEFAULTS,
      PRIMARY KEY (session_ref, id, device_key, anchored_on))`);
    const { rows } = await client.query<{ ref: string }>(
      'SELECT coalesce(max(session_ref), 0) AS ref FROM copied_events',
    );
    return Number(rows[0]!.ref);
  });
}
