// The events that a 422 names, or that are alone in a 413: an SDK sets them aside.
import { fieldsOf } from '../recording.ts';
import { remembered } from './rule.ts';
import type { SeenEvent, Upload } from './uploads.ts';

/** The identities of the events that the 422 of this upload names. */
export const namedEvents = remembered((upload: Upload): Set<number> => {
  const named = new Set<number>();
  if (upload.request.response.status !== 422) return named;
  for (const { path } of fieldsOf(upload.request))
    for (const { identity } of eventsAt(path, upload)) named.add(identity);
  return named;
});

export interface NamedProperty {
  name: string;
  value: unknown;
  /** The user of the upload: another user's property is another one. */
  userId: string | null;
  /** The index of the request. */
  index: number;
}

/** The properties that a 422 names. They are not sent again until their value changes. */
export const namedPropertiesOf = remembered((uploads: Upload[]): NamedProperty[] =>
  uploads
    .filter(({ request }) => request.response.status === 422 && request.loss === null)
    .flatMap(({ request, report: { user } }) =>
      fieldsOf(request).flatMap(({ path }) => {
        const [, at] = /^user\.properties\[(\d+)\]/.exec(path) ?? [];
        const property = at === undefined ? undefined : user.properties?.[Number(at)];
        return property ? [{ ...property, userId: user.id ?? null, index: request.index }] : [];
      }),
    ),
);

function eventsAt(path: string, { report, events }: Upload): SeenEvent[] {
  if (path === '') return events;
  const [, session, event] = /^sessions\[(\d+)\](?:\.events\[(\d+)\])?/.exec(path) ?? [];
  const named = session === undefined ? undefined : report.sessions[Number(session)];
  if (!named) return [];
  const list =
    event === undefined ? (named.events ?? []) : (named.events ?? []).slice(Number(event), Number(event) + 1);
  return events.filter((seen) => seen.session === named && list.includes(seen.event));
}

export const takenOutOf = remembered((uploads: Upload[]): Set<number> => {
  const gone = new Set<number>();
  for (const upload of uploads) {
    for (const identity of namedEvents(upload)) gone.add(identity);
    const isAlone = upload.request.response.status === 413 && upload.events.length === 1;
    if (isAlone) for (const identity of upload.identities) gone.add(identity);
  }
  return gone;
});
