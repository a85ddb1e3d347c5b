// Loads the events of the bench of reads: one application over thirteen weeks, made by PostgreSQL itself.
import pg from 'pg';
import { loadPurchases } from './purchases.ts';

export const days = 91;
const eventsOfSession = 10;
const sessionsOfDevice = 10;
const eventsOfLine = 400;
/** Sessions of one statement: two seconds on two cores. */
const atOnce = 10_000;

export interface Load {
  url: string;
  applicationId: string;
  events: number;
  /** Everything arrived before it. */
  until: Date;
  progressed(share: number): void;
}

/** Resolves when PostgreSQL has all rows and the statistics of them. */
export async function load({ url, applicationId, events, until, progressed }: Load): Promise<void> {
  // Without the time limit of the service's pool.
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const sessions = Math.max(1, Math.round(events / eventsOfSession));
    const devices = Math.max(1, Math.round(sessions / sessionsOfDevice));
    const from = new Date(until.getTime() - days * 86_400_000);
    await client.query(partitions(from, until));
    await client.query(deviceRows, [applicationId, devices, from, until]);
    for (let first = 0; first < sessions; first += atOnce) {
      const last = Math.min(sessions, first + atOnce) - 1;
      await client.query(sessionRows, [applicationId, first, last, sessions, devices, from, days]);
      progressed((last + 1) / sessions);
    }
    await loadPurchases(client, { applicationId, lines: Math.max(1, Math.round(events / eventsOfLine)), until });
    await client.query('VACUUM ANALYZE devices, sessions, events');
  } finally {
    await client.end();
  }
}

/** The service makes those of the weeks to come alone. */
const partitions = (from: Date, until: Date): string => `DO $$
  DECLARE monday date;
  BEGIN
    FOR monday IN SELECT generate_series(date_trunc('week', '${from.toISOString()}'::timestamp),
      '${until.toISOString()}'::timestamp, '7 days')::date LOOP
      IF to_regclass('events_' || to_char(monday, 'YYYYMMDD')) IS NULL THEN
        EXECUTE format('CREATE TABLE %I PARTITION OF events FOR VALUES FROM (%L) TO (%L)',
          'events_' || to_char(monday, 'YYYYMMDD'), monday, monday + 7);
      END IF;
    END LOOP;
  END $$`;

const keyOf = (number: string): string => `md5($1::text || ' ' || ${number})::uuid`;

const deviceRows = `INSERT INTO devices (key, application_id, id, user_id, properties, user_properties, dropped_properties,
    state_at, first_seen_at, last_seen_at)
  SELECT ${keyOf('d')}, $1::uuid, 'device-' || d, CASE WHEN d % 3 = 0 THEN 'user-' || d / 6 END,
    jsonb_build_object('platform', CASE WHEN d % 4 = 0 THEN 'Android' ELSE 'iOS' END,
      'country', (ARRAY['DE', 'FR', 'US', 'JP'])[1 + d % 4], 'appVersionNormalized', 1000000 + d % 5),
    jsonb_build_object('plan', CASE WHEN d % 10 = 0 THEN 'pro' ELSE 'free' END), '{}', $4::timestamptz, $3::timestamptz, $4::timestamptz
  FROM generate_series(0, $2::int - 1) AS d`;

/**
 * More and more devices, each of which comes again and again. A fifth of the events are mirrors, and twenty names are rare:
 * the last thousand events of one are older than the 30 days that are read for it.
 */
const sessionRows = `WITH given AS (
    SELECT n, mod(n::bigint * 2654435761, 4294967296) / 4294967296.0::float8 AS chance,
      $6::timestamptz + n::float8 / $4::int * $7::int * interval '1 day' AS at
    FROM generate_series($2::int, $3::int) AS n),
  begun AS (
    SELECT n, at AS moment, md5('session ' || n)::uuid::text AS id,
      floor($5::int * (0.3 + 0.7 * n / $4::int) * chance)::int AS d FROM given),
  s AS (
    INSERT INTO sessions (device_key, id, application_id, global_number, version_number, started_at, finished_at,
      received_at, user_id)
    SELECT ${keyOf('d')}, id, $1::uuid, 1, 1, moment, moment + n % 900 * interval '1 s', moment + interval '2 s',
      CASE WHEN d % 3 = 0 THEN 'user-' || d / 6 END FROM begun
    RETURNING ref, device_key, id, started_at AS at, received_at)
  INSERT INTO events (session_ref, occurred_at, received_at, anchored_on, system, device_key, application_id, id, name,
    params, place)
  SELECT ref, at + i * interval '700 ms', received_at + i * interval '1 s', (received_at AT TIME ZONE 'UTC')::date, i % 5 = 4,
    device_key, $1::uuid, decode(md5(n || ' ' || i), 'hex'),
    CASE WHEN i % 5 = 4 THEN 'EventTriggered' WHEN i = 0 THEN 'Opened'
      WHEN (n * 8 + i) % 2000 = 1 THEN 'A rare event with a long name ' || n % 20 ELSE 'Event ' || (n * 7 + i * 3) % 12 END,
    jsonb_build_object('level', (n + i) % 50, 'price', (n % 400) * 0.25, 'source', 'source ' || n % 30), i
  FROM s JOIN begun USING (id) CROSS JOIN generate_series(0, ${eventsOfSession - 1}) AS i`;
