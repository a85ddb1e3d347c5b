// Puts what was drawn into PostgreSQL, row by row as uploads would have left it, with exact times of arrival.
import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { deviceKey } from '../../../src/devices/deviceKey.ts';
import { packId } from '../../../src/sessions/upload.ts';
import type { TestDatabase } from '../testDatabase.ts';
import { earliest } from './definitions.ts';
import type { Drawn, DrawnApplication, DrawnSession, Micros } from './drawn.ts';
import { longInteger } from './drawnSessions.ts';

export interface StoredDrawn {
  /** The application that is asked about. */
  applicationId: string;
}

/**
 * Each call stores into two applications of its own, so that one database serves all runs of a property. All of it is one
 * transaction: the test waits for one commit, and a copy of it follows one.
 */
export async function storeDrawn({ pool }: Pick<TestDatabase, 'pool'>, drawn: Drawn): Promise<StoredDrawn> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const applicationId = await storeApplication(client, drawn.asked, drawn.timeZone);
    await storeApplication(client, drawn.other, drawn.timeZone);
    await client.query('COMMIT');
    client.release();
    return { applicationId };
  } catch (error) {
    client.release(true);
    throw error;
  }
}

async function storeApplication(client: PoolClient, application: DrawnApplication, timeZone: string): Promise<string> {
  const [organizationId, projectId, applicationId] = [randomUUID(), randomUUID(), randomUUID()];
  await client.query(`INSERT INTO organizations (id, name) VALUES ($1, 'Drawn')`, [organizationId]);
  await client.query(`INSERT INTO projects (id, organization_id, name) VALUES ($1, $2, 'Drawn')`, [
    projectId,
    organizationId,
  ]);
  const testDevices = application.devices.filter(({ test }) => test).map(({ id }) => id);
  await client.query(
    `INSERT INTO applications (id, project_id, name, bundle_id, platform, time_zone, test_devices, created_at)
     VALUES ($1, $2, 'Drawn', 'com.example.drawn', 'iOS', $3, $4, ${instant('$5::bigint')} + interval '9600 hours')`,
    [applicationId, projectId, timeZone, testDevices, earliest],
  );
  await storeDevices(client, applicationId, application);
  await storeSessions(client, applicationId, application);
  return applicationId;
}

/** A microsecond does not survive a JavaScript date, nor always a double in seconds. */
const instant = (micros: string) => `'epoch'::timestamptz + ${micros} * interval '1 microsecond'`;

async function storeDevices(
  client: PoolClient,
  applicationId: string,
  { devices, sessions }: DrawnApplication,
): Promise<void> {
  const rows = devices.map((device) => {
    const arrivals = sessions
      .filter((session) => session.device === device.id)
      .flatMap(({ uploads }) => uploads.map(({ arrivedAt }) => arrivedAt))
      .concat(device.seenAt ?? []);
    return {
      key: deviceKey(applicationId, device.id),
      id: device.id,
      user: device.userId,
      properties: device.properties,
      userProperties: device.userProperties,
      first: Math.min(...arrivals),
      last: Math.max(...arrivals),
    };
  });
  await client.query(
    `INSERT INTO devices (key, application_id, id, user_id, properties, user_properties, state_at, first_seen_at, last_seen_at)
     SELECT key, $1, id, "user", properties, "userProperties", ${instant('last')}, ${instant('first')}, ${instant('last')}
     FROM jsonb_to_recordset($2) AS r (key uuid, id text, "user" text, properties jsonb, "userProperties" jsonb, first bigint, last bigint)`,
    [applicationId, JSON.stringify(rows)],
  );
}

async function storeSessions(
  client: PoolClient,
  applicationId: string,
  { devices, sessions }: DrawnApplication,
): Promise<void> {
  const rows = sessions.map((session) => ({
    key: deviceKey(applicationId, session.device),
    id: session.id,
    started: session.startedAt,
    finished: session.finishedAt,
    arrived: session.uploads[0]!.arrivedAt,
    user: session.userId,
  }));
  const stored = await client.query<{ ref: string; key: string; id: string }>(
    `INSERT INTO sessions (device_key, id, application_id, global_number, version_number, started_at, finished_at,
       received_at, user_id)
     SELECT key, id, $1, 1, 1, ${instant('started')}, ${instant('finished')}, ${instant('arrived')}, "user"
     FROM jsonb_to_recordset($2)
       AS r (key uuid, id text, started bigint, finished bigint, arrived bigint, "user" text)
     RETURNING ref, device_key AS key, id`,
    [applicationId, JSON.stringify(rows)],
  );
  const refs = new Map(stored.rows.map(({ ref, key, id }) => [`${key} ${id}`, ref]));
  const withRefs = sessions.map((session, index) => ({ ref: refs.get(`${rows[index]!.key} ${session.id}`)!, session }));
  const events = await storeEvents(client, applicationId, withRefs);
  const idle = devices.filter(({ seenAt }) => seenAt !== undefined).map(({ id }) => deviceKey(applicationId, id));
  // As the writer logs a batch (src/sessions/writer/uploadsStore.ts).
  await client.query(
    `INSERT INTO session_changes (refs, device_keys, sessions, events) VALUES ($1::bigint[], $2::uuid[], $3, $4)`,
    [withRefs.map(({ ref }) => ref), [...rows.map(({ key }) => key), ...idle], rows.length, events],
  );
}

interface StoredSession {
  ref: string;
  session: DrawnSession;
}

/** Returns how many. */
async function storeEvents(client: PoolClient, applicationId: string, stored: StoredSession[]): Promise<number> {
  const rows = stored.flatMap(({ ref, session: { device, uploads } }) => {
    const anchor = dateOf(uploads[0]!.arrivedAt);
    // Uploads of one transaction arrive at one instant, and the places of their events go on.
    const before = (index: number) =>
      uploads
        .slice(0, index)
        .filter(({ arrivedAt }) => arrivedAt === uploads[index]!.arrivedAt)
        .reduce((sum, { events }) => sum + events.length, 0);
    return uploads.flatMap(({ arrivedAt, events }, index) =>
      events.map(({ name, system, occurredAt, params }, place) => ({
        ...{ ref, key: deviceKey(applicationId, device), anchor, arrived: arrivedAt, place: before(index) + place },
        ...{ id: packId(randomUUID()).toString('hex'), name, system, occurred: occurredAt, params },
      })),
    );
  });
  await ensurePartitions(client, [...new Set(rows.map(({ anchor }) => anchor))]);
  await client.query(
    `INSERT INTO events (session_ref, occurred_at, received_at, anchored_on, system, device_key, application_id, id, name,
       params, place)
     SELECT ref, ${instant('occurred')}, ${instant('arrived')}, anchor, system, key, $1, decode(id, 'hex'), name, params, place
     FROM jsonb_to_recordset($2) AS r (ref bigint, key uuid, anchor date, arrived bigint, place int, id text, name text,
       system boolean, occurred bigint, params jsonb)`,
    [applicationId, withLongIntegers(JSON.stringify(rows))],
  );
  return rows.length;
}

/** An integer beyond 2^53 is stored with digits that a double lacks. */
function withLongIntegers(json: string): string {
  return json.replaceAll(`"q":${longInteger}`, `"q":${BigInt(longInteger) + 1n}`);
}

const dateOf = (micros: Micros): string => new Date(Math.floor(micros / 1_000)).toISOString().slice(0, 10);

/** The service makes partitions for the weeks to come alone, and the hard days of calendars are in the past. */
async function ensurePartitions(client: PoolClient, dates: readonly string[]): Promise<void> {
  for (const date of dates) {
    const monday = mondayOf(date);
    const name = `events_${monday.replaceAll('-', '')}`;
    const { rows } = await client.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [name]);
    if (rows[0]!.there) continue;
    await client.query(
      `CREATE TABLE ${name} PARTITION OF events FOR VALUES FROM ('${monday}') TO ('${monday}'::date + 7)`,
    );
  }
}

function mondayOf(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.toISOString().slice(0, 10);
}
