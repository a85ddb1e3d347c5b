// The events that a 422 names, or that are alone in a 413: an SDK sets them aside.
import { fieldsOf } from '../recording.ts';
import type { SeenEvent, Upload } from './uploads.ts';

/** The identities of the events that the 422 of this upload names. */
export function namedEvents(upload: Upload): Set<number> {
  const named = new Set<number>();
  if (upload.request.response.status !== 422) return named;
  for (const { path } of fieldsOf(upload.request))
    for (const { identity } of eventsAt(path, upload)) named.add(identity);
  return named;
}

function eventsAt(path: string, { report, events }: Upload): SeenEvent[] {
  if (path === '') return events;
  const [, session, event] = /^sessions\[(\d+)\](?:\.events\[(\d+)\])?/.exec(path) ?? [];
  const named = session === undefined ? undefined : report.sessions[Number(session)];
  if (!named) return [];
  const list =
    event === undefined ? (named.events ?? []) : (named.events ?? []).slice(Number(event), Number(event) + 1);
  return events.filter((seen) => seen.session === named && list.includes(seen.event));
}

export function takenOutOf(uploads: Upload[]): Set<number> {
  const gone = new Set<number>();
  for (const upload of uploads) {
    for (const identity of namedEvents(upload)) gone.add(identity);
    const isAlone = upload.request.response.status === 413 && upload.events.length === 1;
    if (isAlone) for (const identity of upload.identities) gone.add(identity);
  }
  return gone;
}
