// A copy in a folder of its own for a test, and transactions that store sessions and log them as the writer does.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Pool, type ClientBase } from 'pg';
import { Registry } from 'prom-client';
import { AnalyticsCopy, type CopyOptions } from '../../src/analytics/copy/analyticsCopy.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { analyticsMetrics } from '../../src/platform/observability/metrics.ts';
import { digestsOfCopy, digestsOfDatabase } from './copyDigests.ts';
import { readMetrics } from './metricsText.ts';

export interface TestCopies {
  dir: string;
  open(options?: Partial<CopyOptions>): AnalyticsCopy;
  /** Over all copies: how often one differed from PostgreSQL and was mended, by relation; nothing where it never did. */
  mended(): Promise<Record<string, number>>;
  /** Stops what is open and removes the folder. */
  remove(): Promise<void>;
}

/** None of the copies compares itself with PostgreSQL, unless the options say how often. */
export async function testCopies(databaseUrl: string, options: Partial<CopyOptions> = {}): Promise<TestCopies> {
  const dir = await mkdtemp(path.join(tmpdir(), 'analytics-'));
  const opened: AnalyticsCopy[] = [];
  const registry = new Registry();
  const metrics = analyticsMetrics([registry]);
  return {
    dir,
    open(own) {
      const bounds = { memoryMib: 128, threads: 2, pollMillis: 20, upkeepMillis: 200, proveMillis: null };
      const copy = new AnalyticsCopy({
        connection: { connectionString: databaseUrl },
        dir,
        ...bounds,
        log: createLog('silent'),
        metrics,
        ...options,
        ...own,
      });
      opened.push(copy);
      return copy;
    },
    async mended() {
      const samples = readMetrics(await registry.metrics()).get('analytics_copy_mended_total')!.samples;
      const counts = samples.map(({ labels, value }) => [labels['relation']!, value] as const);
      return Object.fromEntries(counts.filter(([, value]) => value > 0));
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
  if (!(connection instanceof Pool)) return storeIn(connection, stored);
  const client = await connection.connect();
  try {
    await client.query('BEGIN');
    await storeIn(client, stored);
    await client.query('COMMIT');
  } finally {
    client.release(true);
  }
}

/** Statement by statement, as a distributed table takes them (docs/contributing/cluster.md, "Rules for statements"). */
async function storeIn(client: ClientBase, stored: StoredSessions): Promise<void> {
  const { applicationId, devices, events, userId = null, age = '0 s', session = randomUUID() } = stored;
  await client.query(
    `INSERT INTO devices (key, application_id, id, user_id, properties, user_properties, dropped_properties, state_at, last_seen_at)
     SELECT md5($1::text || id)::uuid, $1::uuid, id, $3, '{"platform": "iOS"}', jsonb_build_object('n', $4::int), '{}', now(), now()
     FROM unnest($2::text[]) AS id ORDER BY 1
     ON CONFLICT (key) DO UPDATE SET last_seen_at = excluded.last_seen_at, user_id = excluded.user_id,
       user_properties = devices.user_properties || '{"again": true}'`,
    [applicationId, devices, userId, events],
  );
  const { rows } = await client.query<{ key: string; ref: string; received: string }>(
    `INSERT INTO sessions (device_key, id, application_id, global_number, version_number, started_at, received_at, user_id)
     SELECT md5($1::text || id)::uuid, $3, $1::uuid, 1, 1, now() - $4::interval - interval '1 s', now() - $4::interval, $5
     FROM unnest($2::text[]) AS id ORDER BY 1
     ON CONFLICT (device_key, id) DO UPDATE SET finished_at = excluded.received_at, user_id = excluded.user_id
     RETURNING device_key AS key, ref::text, (received_at AT TIME ZONE 'UTC')::date::text AS received`,
    [applicationId, devices, session, age, userId],
  );
  const [keys, refs, days] = [rows.map(({ key }) => key), rows.map(({ ref }) => ref), rows.map((row) => row.received)];
  await client.query(
    `INSERT INTO events (session_ref, occurred_at, received_at, anchored_on, system, device_key, application_id, id, name, params, place)
     SELECT ref, now() - $4::interval + i * interval '1 ms', clock_timestamp(), day, i % 3 = 0, key, $1::uuid,
       decode(md5(random()::text), 'hex'), CASE i % 3 WHEN 0 THEN 'EventTriggered' ELSE 'Bought "é" ' || i END,
       jsonb_build_object('n', i * 1.5, 'text', E'a"b,\\n' || i, 'yes', true), i
     FROM unnest($2::uuid[], $3::bigint[], $5::date[]) AS s (key, ref, day), generate_series(1, $6) AS i`,
    [applicationId, keys, refs, age, days, events],
  );
  await client.query('INSERT INTO session_changes (refs, device_keys) VALUES ($1::bigint[], $2::uuid[])', [refs, keys]);
}
