// A copy in a folder of its own for a test, and transactions that store sessions and log them as the writer does.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ClientBase, Pool } from 'pg';
import { Registry } from 'prom-client';
import { AnalyticsCopy } from '../../src/analytics/copy/analyticsCopy.ts';
import type { CopyOptions } from '../../src/analytics/copy/copyOptions.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { analyticsMetrics } from '../../src/platform/observability/analyticsMetrics.ts';
import { digestsOfCopy, digestsOfDatabase } from './copyDigests.ts';

export interface TestCopies {
  dir: string;
  open(options?: Partial<CopyOptions>): AnalyticsCopy;
  /** Stops what is open and removes the folder. */
  remove(): Promise<void>;
}

export async function testCopies(databaseUrl: string): Promise<TestCopies> {
  const dir = await mkdtemp(path.join(tmpdir(), 'analytics-'));
  const opened: AnalyticsCopy[] = [];
  return {
    dir,
    open(options) {
      const metrics = analyticsMetrics([new Registry()]);
      const bounds = { memoryMib: 128, threads: 2, pollMillis: 20, upkeepMillis: 200 };
      const copy = new AnalyticsCopy({
        connection: { connectionString: databaseUrl },
        dir,
        ...bounds,
        log: createLog('silent'),
        metrics,
        ...options,
      });
      opened.push(copy);
      return copy;
    },
    async remove() {
      for (const copy of opened) await copy.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Every column of every relation, and nothing twice. */
export async function expectEqual(copy: AnalyticsCopy, pool: Pool): Promise<void> {
  await copy.followed();
  // The file may be written anew meanwhile, and another one is then in its place.
  const digests = await digestsOfCopy(copy.serving!).catch(() => digestsOfCopy(copy.serving!));
  expect(digests).toEqual(await digestsOfDatabase(pool));
}

export async function seedApplication(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `WITH o AS (INSERT INTO organizations (id, name) VALUES (gen_random_uuid(), 'O') RETURNING id),
       p AS (INSERT INTO projects (id, organization_id, name) SELECT gen_random_uuid(), id, 'P' FROM o RETURNING id)
     INSERT INTO applications (id, project_id, name, bundle_id, platform)
     SELECT gen_random_uuid(), id, 'A', 'a.b', 'iOS' FROM p RETURNING id`,
  );
  return rows[0]!.id;
}

export interface StoredSessions {
  applicationId: string;
  /** Devices of the same names are the same. */
  devices: readonly string[];
  events: number;
  userId?: string | null;
  /** Text of an interval. */
  age?: string;
  /** The sessions' ids. Default: new ones. */
  session?: string;
}

/** On a connection whose transaction the caller ends, or on the pool. A stored session gets further events. */
export async function storeSessions(connection: ClientBase | Pool, stored: StoredSessions): Promise<void> {
  const { applicationId, devices, events, userId = null, age = '0 s', session = randomUUID() } = stored;
  await connection.query(
    `WITH given AS (SELECT md5($1::text || id)::uuid AS key, id FROM unnest($2::text[]) AS id ORDER BY 1),
     d AS (INSERT INTO devices (key, application_id, id, user_id, properties, user_properties, dropped_properties, state_at)
       SELECT key, $1::uuid, id, $4, '{"platform": "iOS"}', jsonb_build_object('n', $3::int), '{}', now() FROM given
       ON CONFLICT (key) DO UPDATE SET last_seen_at = now(), user_id = excluded.user_id,
         user_properties = devices.user_properties || '{"again": true}' RETURNING key),
     s AS (INSERT INTO sessions (device_key, id, application_id, global_number, version_number, started_at, received_at, user_id)
       SELECT key, $6, $1::uuid, 1, 1, now() - $5::interval - interval '1 s', now() - $5::interval, $4 FROM d
       ON CONFLICT (device_key, id) DO UPDATE SET finished_at = now(), user_id = excluded.user_id
       RETURNING device_key, ref, received_at, xmax = 0 AS fresh),
     e AS (INSERT INTO events (session_ref, occurred_at, received_at, anchored_on, system, device_key, application_id, id, name, params, place)
       SELECT ref, now() - $5::interval + i * interval '1 ms', clock_timestamp(), (received_at AT TIME ZONE 'UTC')::date,
         i % 3 = 0, device_key, $1::uuid, decode(md5(random()::text), 'hex'),
         CASE i % 3 WHEN 0 THEN 'EventTriggered' ELSE 'Bought "é" ' || i END,
         jsonb_build_object('n', i * 1.5, 'text', E'a"b,\\n' || i, 'yes', true), i
       FROM s, generate_series(1, $3) AS i RETURNING 1)
     INSERT INTO session_changes (refs, device_keys, sessions, events)
     SELECT array_agg(ref), array_agg(device_key), count(*) FILTER (WHERE fresh), (SELECT count(*) FROM e) FROM s`,
    [applicationId, devices, events, userId, age, session],
  );
}
