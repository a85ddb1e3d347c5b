// Fills a database with the rows of millions of uploads: the service's own code makes the rows, and COPY stores them.
import type pg from 'pg';
import { copyFrom } from '../../../../src/platform/database/sql.ts';
import { eventColumns } from '../../../../src/sessions/writer/uploadsStore.ts';
import { type DeviceRow, type SessionRow, sessionRows, timestampText } from '../../../../src/sessions/upload.ts';
import { eventsOf, type Shape } from '../shapes.ts';
import { withClient } from '../targets/benchDatabase.ts';
import { copyText, eventLine } from '../targets/eventLines.ts';
import { uploadSource, type UploadSource } from '../uploads.ts';

export interface HistoryPlan {
  databaseUrl: string;
  applicationId: string;
  shape: Shape;
  uploads: number;
  seed: number;
  say: (line: string) => void;
}

/** Uploads of each device: the length of a device's history. */
const uploadsPerDevice = 10;
/** Uploads per transaction. */
const chunkUploads = 2_000;
const reportEveryMillis = 5_000;

/**
 * All rows are anchored in this week. That is the hardest case for new uploads: they go into the partition that holds
 * every row.
 */
export async function loadHistory(plan: HistoryPlan): Promise<void> {
  const source = uploadSource(plan.shape, {
    seed: plan.seed,
    name: 'history',
    devices: devicesOf(plan),
  });
  await withClient(plan.databaseUrl, async (client) => {
    const report = progress(plan);
    let next = takeChunk(source, plan, 0);
    for (let done = 0; done < plan.uploads;) {
      const storing = storeChunk(client, next);
      done += next.sessions.length / plan.shape.sessions;
      // The next chunk is made while PostgreSQL stores the one before.
      if (done < plan.uploads) next = takeChunk(source, plan, done);
      await storing;
      report(done);
    }
    await client.query("SELECT setval('sessions_ref_seq', (SELECT max(ref) FROM sessions))");
    plan.say('vacuum, as the server would do it by itself in time');
    await client.query('VACUUM (ANALYZE)');
  });
}

function devicesOf({ uploads }: HistoryPlan): number {
  return Math.ceil(uploads / uploadsPerDevice);
}

interface Chunk {
  /** Devices that no earlier chunk contained. */
  devices: DeviceRow[];
  sessions: { row: SessionRow; ref: number }[];
  eventLines: string[];
}

function takeChunk(source: UploadSource, plan: HistoryPlan, done: number): Chunk {
  const { applicationId, shape } = plan;
  const chunk: Chunk = { devices: [], sessions: [], eventLines: [] };
  const anchoredOn = new Date().toISOString().slice(0, 10);
  let ref = done * shape.sessions;
  for (let upload = done; upload < Math.min(done + chunkUploads, plan.uploads); upload++) {
    const { device, sessions, events } = sessionRows(source.next(), { applicationId, stateAt: Date.now() / 1_000 });
    const refs = new Map(sessions.map((row) => [row.id, ++ref]));
    if (upload < devicesOf(plan)) chunk.devices.push(device);
    chunk.sessions.push(...sessions.map((row) => ({ row, ref: refs.get(row.id)! })));
    for (const event of events) {
      const anchor = { ref: String(refs.get(event.sessionId)), anchoredOn, isNew: true };
      chunk.eventLines.push(eventLine(anchor, event));
    }
  }
  return chunk;
}

async function storeChunk(client: pg.Client, chunk: Chunk): Promise<void> {
  await client.query('BEGIN');
  if (chunk.devices.length > 0) await copyDevices(client, chunk.devices);
  await copySessions(client, chunk.sessions);
  await copyFrom(client, `COPY events ${eventColumns} FROM STDIN`, chunk.eventLines.join(''));
  await client.query('COMMIT');
}

function copySessions(client: pg.Client, sessions: Chunk['sessions']): Promise<void> {
  const columns = '(device_key, id, application_id, ref, global_number, version_number, started_at, finished_at)';
  const lines = sessions.map(({ row, ref }) =>
    [
      ...[row.deviceKey, row.id, row.applicationId, ref, row.globalNumber, row.versionNumber],
      ...[timestampText(row.startedAt), row.finishedAt === null ? '\\N' : timestampText(row.finishedAt)],
    ].join('\t'),
  );
  return copyFrom(client, `COPY sessions ${columns} FROM STDIN`, `${lines.join('\n')}\n`);
}

function copyDevices(client: pg.Client, devices: DeviceRow[]): Promise<void> {
  const columns = '(key, application_id, id, user_id, properties, user_properties, state_at)';
  const lines = devices.map((device) =>
    [
      ...[device.key, device.applicationId, device.id, device.userId ?? '\\N'],
      ...[copyText(device.properties), copyText(device.userProperties), timestampText(device.stateAt)],
    ].join('\t'),
  );
  return copyFrom(client, `COPY devices ${columns} FROM STDIN`, `${lines.join('\n')}\n`);
}

function progress({ uploads, shape, say }: HistoryPlan): (done: number) => void {
  const begun = performance.now();
  let said = begun;
  return (done) => {
    const now = performance.now();
    if (done < uploads && now - said < reportEveryMillis) return;
    said = now;
    const seconds = (now - begun) / 1_000;
    const rate = (done * eventsOf(shape)) / seconds;
    const left = (seconds / done) * (uploads - done);
    const share = ((100 * done) / uploads).toFixed(0);
    say(`${share} % of the history, ${Math.round(rate).toLocaleString('en-US')} events/s, ${Math.round(left)} s left`);
  };
}
