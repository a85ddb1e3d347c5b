// The uploads of a recording with their events, where each event has one identity for all uploads that bring it.
import {
  header,
  type Recorded,
  type Recording,
  type Session,
  type SessionEvent,
  type SessionReport,
} from '../recording.ts';

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
export function uploadsOf({ requests }: Recording): Upload[] {
  const known = new Map<string, number>();
  return requests
    .filter(({ operation, json }) => operation === 'reportSessions' && isReport(json))
    .map((request) => uploadOf(request, known));
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
  return uploads.filter(({ request }) => request.index > upload.request.index);
}

export function shares(one: Upload, other: Upload): boolean {
  return [...one.identities].some((identity) => other.identities.has(identity));
}

export function isAccepted({ request }: Upload): boolean {
  return request.stored;
}

export function sessionIds({ report }: Upload): string[] {
  return report.sessions.map(({ id }) => id);
}
