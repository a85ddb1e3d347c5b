// Cuts the data that waits on the device into uploads, and halves an upload that is too large: openapi.yaml, "Retries".
// The sizes are those of openapi.yaml, "Recommended settings".
import type { Session } from './wire.ts';

export interface BatchLimits {
  sessionsPerUpload: number;
  eventsPerUpload: number;
}

/**
 * Cuts the oldest sessions first. A session with too many events goes on in the next batch with equal session fields.
 * The server merges the parts in any order: openapi.yaml, reportSessions, "How sessions merge".
 */
export function cutIntoBatches(sessions: Session[], { sessionsPerUpload, eventsPerUpload }: BatchLimits): Session[][] {
  const batches: Session[][] = [];
  let room = { sessions: 0, events: 0 };
  const open = (): Session[] => {
    room = { sessions: sessionsPerUpload, events: eventsPerUpload };
    batches.push([]);
    return batches.at(-1)!;
  };
  for (const session of sessions) {
    let events = session.events ?? [];
    do {
      const batch = room.sessions > 0 && room.events > 0 ? batches.at(-1)! : open();
      const part = events.slice(0, room.events);
      events = events.slice(part.length);
      batch.push({ ...session, events: part });
      room = { sessions: room.sessions - 1, events: room.events - part.length };
    } while (events.length > 0);
  }
  return batches;
}

/** Halves several sessions by session, and a single session by its events. Returns null when nothing can be cut. */
export function halve(batch: Session[]): [Session[], Session[]] | null {
  const [session] = batch;
  if (!session) return null;
  if (batch.length > 1) {
    const middle = batch.length >> 1;
    return [batch.slice(0, middle), batch.slice(middle)];
  }
  const events = session.events ?? [];
  if (events.length < 2) return null;
  const middle = events.length >> 1;
  return [[{ ...session, events: events.slice(0, middle) }], [{ ...session, events: events.slice(middle) }]];
}

/** So that no later upload is as large as the one that these halves were cut from. */
export function limitsOf(halves: [Session[], Session[]]): BatchLimits {
  const eventsOf = (batch: Session[]): number => batch.reduce((sum, { events = [] }) => sum + events.length, 0);
  return {
    sessionsPerUpload: Math.max(...halves.map((half) => half.length)),
    eventsPerUpload: Math.max(1, ...halves.map(eventsOf)),
  };
}
