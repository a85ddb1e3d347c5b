// Draft.
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { tmpdir } from 'node:os';
import { Registry } from 'prom-client';
import { AnalyticsCopy } from '../../src/analytics/copy/analyticsCopy.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { analyticsMetrics } from '../../src/platform/observability/analyticsMetrics.ts';
import { runQuestion } from '../../src/analytics/engine/questionRun.ts';
import { createTestDatabase } from '../support/testDatabase.ts';

test('draft', async () => {
  const database = await createTestDatabase();
  const dir = await mkdtemp(path.join(tmpdir(), 'copy-'));
  await database.pool.query(`CREATE TABLE session_changes (xid xid8 DEFAULT pg_current_xact_id(), at timestamptz DEFAULT clock_timestamp(), device_keys uuid[], refs bigint[]);
    ALTER TABLE events ADD COLUMN place int`);
  await database.pool.query('SELECT ensure_event_partitions(8)');
  const seed = (n: number, off: number) => database.pool.query(`
    WITH d AS (INSERT INTO devices (key, application_id, id, user_id, properties, user_properties, dropped_properties, state_at)
      SELECT md5('d'||i)::uuid, md5('a')::uuid, 'd'||i, NULLIF('u'||i%3,'u0'), '{"platform":"iOS"}', '{}', '{}', now() FROM generate_series(${off}+1, ${off}+${n}) i RETURNING key),
    s AS (INSERT INTO sessions (device_key, id, application_id, global_number, version_number, started_at, user_id)
      SELECT key, 's'||key, md5('a')::uuid, 1, 1, now() - interval '1 minute', 'u"1' FROM d RETURNING device_key, ref, received_at),
    e AS (INSERT INTO events (session_ref, occurred_at, anchored_on, system, device_key, application_id, id, name, params, place)
      SELECT ref, now(), (received_at at time zone 'utc')::date, i=1, device_key, md5('a')::uuid, decode(md5(i::text),'hex'), 'Ev'||i, jsonb_build_object('a', i, 'b', E'x"y\\n'), i FROM s, generate_series(1,5) i)
    INSERT INTO session_changes (device_keys, refs) SELECT array_agg(device_key), array_agg(ref) FROM s`);
  await seed(1000, 0);
  const log = createLog('info');
  const copy = new AnalyticsCopy({ databaseUrl: database.url, dir, memoryMib: 256, threads: 2, log, metrics: analyticsMetrics([new Registry()]), pollMillis: 50, rewriteAfter: -1n });
  await copy.followed();
  const count = async () => runQuestion(copy.serving!, { text: 'SELECT count(*) AS n, count(DISTINCT session) AS s, sum(place) AS p, min(params) AS params, min(unit_user) u, (SELECT count(*) FROM stored.devices) d FROM stored.events', values: [] }, { millis: 5000, rows: 10, signal: undefined });
  console.log(await count());
  await seed(1000, 1000);
  let t = performance.now();
  await copy.followed();
  console.log(await count(), performance.now() - t);
  await database.pool.query(`WITH s AS (DELETE FROM sessions WHERE ref % 2 = 0 RETURNING device_key, ref), e AS (DELETE FROM events WHERE session_ref % 2 = 0) INSERT INTO session_changes (device_keys, refs) SELECT array_agg(device_key), array_agg(ref) FROM s`);
  await copy.followed();
  console.log(await count());
  await copy.stop();
  const again = new AnalyticsCopy({ databaseUrl: database.url, dir, memoryMib: 256, threads: 2, log, metrics: analyticsMetrics([new Registry()]), pollMillis: 50 });
  await again.followed();
  console.log(await runQuestion(again.serving!, { text: 'SELECT count(*) AS n FROM stored.events', values: [] }, { millis: 5000, rows: 10, signal: undefined }));
  await again.stop();
  await rm(dir, { recursive: true });
  await database.drop();
});
