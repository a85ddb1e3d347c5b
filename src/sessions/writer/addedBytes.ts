// The bytes that an upload adds to the tables, as quotas count them (pure; openapi.yaml, "Quotas").
import { eventKey, sessionKey, type DeviceRow, type EventRow, type SessionRow, type Upload } from '../upload.ts';
import type { SessionAnchor } from './uploadsStore.ts';

/** Columns, keys and the fixed part of each row, beside its texts. */
const fixed = { device: 800, session: 400, event: 150 };

/** What an upload adds where all its sessions are new. */
export function bytesOfUpload({ device, sessions, events, counted }: Omit<Upload, 'nonce'>): number {
  return bytesOf(counted?.holdsState ? null : device, sessions, events);
}

/** As `bytesAdded`, where every session is new. */
export function bytesOfNew(uploads: readonly Upload[]): Map<Upload, number> | undefined {
  const all = uploads.filter(({ counted }) => counted);
  return all.length === 0 ? undefined : new Map(all.map((upload) => [upload, bytesOfUpload(upload)]));
}

/**
 * Of the uploads of which the added bytes are counted; undefined where there is none, as in nearly every batch. `inserted`
 * has each of their events that is new.
 */
export function bytesAdded(
  uploads: readonly Upload[],
  anchors: ReadonlyMap<string, SessionAnchor>,
  inserted: readonly EventRow[],
): Map<Upload, number> | undefined {
  const all = uploads.filter(({ counted }) => counted);
  if (all.length === 0) return undefined;
  const isNew = new Set(inserted.map(eventKey));
  return new Map(
    all.map((upload) => {
      const sessions = upload.sessions.filter((session) => anchors.get(sessionKey(session, session.id))!.isNew);
      const events = upload.events.filter((event) => isNew.has(eventKey(event)));
      return [upload, bytesOf(upload.counted?.holdsState ? null : upload.device, sessions, events)];
    }),
  );
}

/** `device` is null where its state is stored already. */
function bytesOf(device: DeviceRow | null, sessions: readonly SessionRow[], events: readonly EventRow[]): number {
  let bytes = device ? bytesOfState(device) : 0;
  for (const { id, userId } of sessions)
    bytes += fixed.session + 2 * Buffer.byteLength(id) + Buffer.byteLength(userId ?? '');
  for (const { id, name, params } of events)
    bytes += fixed.event + 2 * Buffer.byteLength(id) + Buffer.byteLength(name) + params.length;
  return bytes;
}

function bytesOfState({ id, properties, userProperties }: DeviceRow): number {
  return fixed.device + 2 * Buffer.byteLength(id) + Buffer.byteLength(properties) + Buffer.byteLength(userProperties);
}
