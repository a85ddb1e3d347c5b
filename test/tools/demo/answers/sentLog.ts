// Notes what the devices sent and the service acknowledged, as it was on the wire: the only source of the devices' counts.
import { gunzipSync } from 'node:zlib';
import type { SessionReport } from '../sdk/wire.ts';

export interface SentSession {
  id: string;
  deviceId: string;
  /** The user of the latest upload that brought the session. */
  userId: string | null;
  /** Unix milliseconds, as all times here: the earliest start that was sent, and the latest finish. */
  startedAt: number;
  finishedAt: number | null;
  /** When its first upload was sent, and the number of that upload. */
  sentAt: number;
  upload: number;
}

export interface SentEvent {
  session: SentSession;
  name: string;
  type: 'custom' | 'system';
  params: Map<string, unknown>;
  /** The earlier of its own time and its upload's. */
  at: number;
  upload: number;
  /** Counts the events of all uploads, so that it tells the order within one. */
  place: number;
}

export class SentLog {
  readonly sessions = new Map<string, SentSession>();
  readonly events: SentEvent[] = [];
  readonly #eventIds = new Set<string>();
  #uploads = 0;

  /** Call it for each session upload with a 2xx, also when its response does not reach the device. */
  note(body: Uint8Array, { gzip, sentAt }: { gzip: boolean; sentAt: number }): void {
    const text = (gzip ? gunzipSync(body) : Buffer.from(body)).toString();
    const { user, device, sessions } = JSON.parse(text) as SessionReport;
    const upload = this.#uploads++;
    for (const { id, startDate, finishDate, events = [] } of sessions) {
      const session = this.#sessionOf({ id, deviceId: device.id, startedAt: Date.parse(startDate), sentAt, upload });
      session.userId = user.id ?? null;
      if (finishDate) session.finishedAt = Math.max(session.finishedAt ?? 0, Date.parse(finishDate));
      for (const { id, name, type, timestamp, params } of events) {
        if (this.#eventIds.has(id)) continue;
        this.#eventIds.add(id);
        const at = Math.min(Math.round(timestamp * 1_000), sentAt);
        const named = new Map(params.map(({ name, value }) => [name, value as unknown]));
        this.events.push({ session, name, type, params: named, at, upload, place: this.events.length });
      }
    }
  }

  #sessionOf(sent: Omit<SentSession, 'userId' | 'finishedAt'>): SentSession {
    const key = `${sent.deviceId}/${sent.id}`;
    const known = this.sessions.get(key);
    if (!known) {
      const session = { ...sent, userId: null, finishedAt: null };
      this.sessions.set(key, session);
      return session;
    }
    known.startedAt = Math.min(known.startedAt, sent.startedAt);
    return known;
  }
}

/** The earlier of its start and its first upload. */
export function timeOf({ startedAt, sentAt }: SentSession): number {
  return Math.min(startedAt, sentAt);
}
