// What an upload adds to the tables, as quotas count it (pure; openapi.yaml, "Quotas").
import { eventKey, sessionKey, type DeviceRow, type EventRow, type SessionRow, type Upload } from '../upload.ts';
import type { SessionAnchor, StoredDevice } from './uploadsStore.ts';

/** Columns, keys and the fixed part of each row, beside its texts. */
const fixed = { device: 800, session: 400, event: 150 };

/** What an upload with `counted` has added, and to which device. */
export interface Added {
  upload: Upload;
  bytes: number;
  device: StoredDevice;
}

/** Where all of it is new. */
export function mostBytes({ device, sessions, events }: Pick<Upload, 'device' | 'sessions' | 'events'>): number {
  return bytesOfState(device) + bytesOfRows(sessions, events);
}

/** Of uploads whose sessions were all new. */
export function addedByNew(uploads: readonly [Upload, StoredDevice][]): Added[] {
  return uploads.flatMap(([upload, device]) => {
    if (!upload.counted) return [];
    const { mostBytes: most } = upload.counted;
    return [{ upload, device, bytes: device.stateRepeated ? most - bytesOfState(upload.device) : most }];
  });
}

/** `inserted` has each event of uploads with `counted` that was new. */
export function addedByUploads(
  uploads: readonly [Upload, StoredDevice][],
  anchors: ReadonlyMap<string, SessionAnchor>,
  inserted: readonly EventRow[],
): Added[] {
  const isNew = new Set(inserted.map(eventKey));
  return uploads.flatMap(([upload, device]) => {
    if (!upload.counted) return [];
    const sessions = upload.sessions.filter((session) => anchors.get(sessionKey(session, session.id))!.isNew);
    const events = upload.events.filter((event) => isNew.has(eventKey(event)));
    const state = device.stateRepeated ? 0 : bytesOfState(upload.device);
    return [{ upload, device, bytes: state + bytesOfRows(sessions, events) }];
  });
}

function bytesOfRows(sessions: readonly SessionRow[], events: readonly EventRow[]): number {
  let bytes = 0;
  for (const { id, userId } of sessions)
    bytes += fixed.session + 2 * Buffer.byteLength(id) + Buffer.byteLength(userId ?? '');
  for (const { id, name, params } of events)
    bytes += fixed.event + 2 * Buffer.byteLength(id) + Buffer.byteLength(name) + params.length;
  return bytes;
}

function bytesOfState({ id, properties, userProperties }: DeviceRow): number {
  return fixed.device + 2 * Buffer.byteLength(id) + Buffer.byteLength(properties) + Buffer.byteLength(userProperties);
}
