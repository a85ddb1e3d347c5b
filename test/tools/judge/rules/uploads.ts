// The uploads of a recording with their events, where each event has one identity for all uploads that bring it.
import {
  header,
  type Recorded,
  type Recording,
  type Session,
  type SessionEvent,
  type SessionReport,
} from '../recording.ts';
import { remembered, type Part } from './rule.ts';

export interface SeenEvent {
  /** The same number in every upload that brings the event, even with another id. */
  identity: number;
  event: SessionEvent;
  session: Session;
}

export interface Upload {
  request: Recorded;
  report: SessionReport;
  nonce: string;
  timestamp: number;
  events: SeenEvent[];
  identities: Set<number>;
}

/** Uploads whose body can be read, in the order of arrival. */
export const uploadsOf = remembered(({ requests }: Recording): Upload[] => {
  const known = new Map<string, number>();
  return requests
    .filter(({ operation, json }) => operation === 'reportSessions' && isReport(json))
    .map((request) => uploadOf(request, known));
});

/** The index of the last request that brings each event, and of the last one that the server stored. */
export const lastRequestsOf = remembered((uploads: Upload[]) => {
  const [seen, stored] = [new Map<number, number>(), new Map<number, number>()];
  for (const upload of uploads) {
    for (const identity of upload.identities) {
      seen.set(identity, upload.request.index);
      if (isAccepted(upload)) stored.set(identity, upload.request.index);
    }
  }
  return { seen, stored };
});

/** Where the event stands in this upload. */
export function partOf({ report }: Upload, { session, event }: Pick<SeenEvent, 'session' | 'event'>): Part {
  const [at, index] = [report.sessions.indexOf(session), (session.events ?? []).indexOf(event)];
  return { path: `sessions[${at}].events[${index}]`, value: event };
}

/** Where the session stands in this upload, without its events. */
export function partOfSession({ report }: Upload, id: string): Part {
  const at = report.sessions.findIndex((session) => session.id === id);
  const { events, ...fields } = report.sessions[at]!;
  return { path: `sessions[${at}]`, value: { ...fields, events: `${(events ?? []).length} events` } };
}

function uploadOf(request: Recorded, known: Map<string, number>): Upload {
  const report = request.json as SessionReport;
  const events = report.sessions.flatMap((session) =>
    (session.events ?? []).map((event) => ({ event, session, identity: identityOf(session, event, known) })),
  );
  const identities = new Set(events.map(({ identity }) => identity));
  const [nonce, timestamp] = [header(request, 'x-nonce') ?? '', Number(header(request, 'x-timestamp') ?? '')];
  return { request, report, nonce, timestamp, events, identities };
}

/** By id, or by content: the first correction of the clock changes times, and a wrong SDK changes ids. */
function identityOf(session: Session, event: SessionEvent, known: Map<string, number>): number {
  const byId = `id ${session.id} ${event.id}`;
  const byContent = contentKey(session, event);
  const identity = known.get(byId) ?? known.get(byContent) ?? known.size;
  known.set(byId, identity);
  known.set(byContent, identity);
  return identity;
}

export function contentKey(session: Session, { name, timestamp, params }: SessionEvent): string {
  return `content ${session.id} ${name} ${timestamp} ${JSON.stringify(params)}`;
}

function isReport(json: unknown): boolean {
  const report = json as Partial<SessionReport> | null;
  return Array.isArray(report?.sessions) && typeof report.user === 'object' && typeof report.device === 'object';
}

export function laterThan(upload: Upload, uploads: Upload[]): Upload[] {
  return uploads.slice(uploads.indexOf(upload) + 1);
}

export function shares(one: Upload, other: Upload): boolean {
  for (const identity of one.identities) if (other.identities.has(identity)) return true;
  return false;
}

export function isAccepted({ request }: Upload): boolean {
  return request.stored;
}

export function sessionIds({ report }: Upload): string[] {
  return report.sessions.map(({ id }) => id);
}
