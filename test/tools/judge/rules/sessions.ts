// The rules of docs/sdk/rules.md, "Sessions and events".
import { parseIsoDateTime } from '../../../../src/platform/isoDateTime.ts';
import type { Recording, Session, SessionEvent } from '../recording.ts';
import { faultIf, findingOf, type Fault, type Rule } from './rule.ts';
import { contentKey, isAccepted, uploadsOf, type Upload } from './uploads.ts';

interface SeenSession {
  id: string;
  global: number;
  first: Upload;
  last: Upload;
  /** The latest form of each event, in the order of first arrival. */
  events: SessionEvent[];
  finishDate: string | null;
  finishAccepted: boolean;
}

/** Each session with everything that uploads brought of it, in the order of first arrival. */
export function sessionsOf(recording: Recording): SeenSession[] {
  const seen = new Map<string, SeenSession>();
  const latest = new Map<string, Map<number, SessionEvent>>();
  for (const upload of uploadsOf(recording)) {
    for (const session of upload.report.sessions) {
      const { id, number, finishDate } = session;
      const known = seen.get(id) ?? { ...begun(session, upload), global: number.global };
      seen.set(id, known);
      Object.assign(known, { last: upload, finishDate: finishDate ?? known.finishDate });
      known.finishAccepted ||= isAccepted(upload) && Boolean(finishDate);
      const events = latest.get(id) ?? new Map<number, SessionEvent>();
      latest.set(id, events);
      for (const one of upload.events) if (one.session === session) events.set(one.identity, one.event);
      known.events = [...events.values()];
    }
  }
  return [...seen.values()];
}

function begun({ id }: Session, upload: Upload): Omit<SeenSession, 'global'> {
  return { id, first: upload, last: upload, events: [], finishDate: null, finishAccepted: false };
}

/** Judged when two later sessions have come: the run may end before that. */
const sessionUntilFinished: Rule = (recording) => {
  const sessions = sessionsOf(recording);
  return findingOf(
    sessions
      .filter(({ global }) => sessions.filter((other) => other.global > global).length >= 2)
      .map(({ id, last, finishAccepted }) =>
        faultIf(!finishAccepted, last.request, `No accepted upload brings the finishDate of session ${id}.`),
      ),
  );
};

const sessionStartedFirst: Rule = (recording) =>
  findingOf(
    sessionsOf(recording).flatMap(({ id, first }) => {
      const event = first.report.sessions.find((session) => session.id === id)?.events?.[0];
      if (!event) return [];
      const type = paramOf(event, 'type');
      const isStart = event.name === 'SessionStarted' && (type === 'cold' || type === 'warm');
      return [faultIf(!isStart, first.request, `The first event of session ${id} is ${event.name} ${String(type)}.`)];
    }),
  );

/** A session that was open at the first upload of the scene in which the process is killed, and has ended since. */
const finishLostSession: Rule = (recording) => {
  const killed = uploadsOf(recording).find(({ request }) => request.scene === 'process killed');
  const before = uploadsOf(recording).filter(({ request }) => killed && request.index < killed.request.index);
  const open = before.at(-1)?.report.sessions.filter(({ finishDate }) => !finishDate) ?? [];
  const lost = sessionsOf(recording).filter(({ id, finishDate }) => finishDate && open.some((one) => one.id === id));
  return findingOf(
    lost.map(({ last, events, finishDate }) => {
      const invented = events.some(({ name }) => name === 'SessionFinished');
      const end = events.at(-1)?.timestamp ?? NaN;
      const isLate = Math.abs(secondsOf(finishDate!) - end) > 1;
      const problem = invented ? 'The lost session has SessionFinished.' : 'finishDate is not that of the last event.';
      return faultIf(invented || isLate, last.request, problem);
    }),
  );
};

/** A content that comes with another id, in an upload without the first one, is the same event with a new id. */
const eventIdsUnique: Rule = (recording) => {
  const ids = new Map<string, Set<string>>();
  return findingOf(uploadsOf(recording).map((upload) => repeatedId(upload) ?? changedId(upload, ids)));
};

function repeatedId({ request, events }: Upload): Fault | null {
  const seen = new Set<string>();
  for (const { session, event } of events) {
    const key = `${session.id} ${event.id}`;
    if (seen.has(key)) return { request, problem: `The id ${event.id} comes twice in one upload.` };
    seen.add(key);
  }
  return null;
}

function changedId({ request, events }: Upload, ids: Map<string, Set<string>>): Fault | null {
  const present = new Map<string, Set<string>>();
  for (const { session, event } of events) {
    const key = contentKey(session, event);
    present.set(key, (present.get(key) ?? new Set()).add(event.id));
  }
  for (const [key, now] of present) {
    const before = ids.get(key);
    ids.set(key, new Set([...(before ?? []), ...now]));
    const isNew = before !== undefined && ![...now].some((id) => before.has(id));
    if (isNew) return { request, problem: `The event ${key.slice('content '.length)} came before with another id.` };
  }
  return null;
}

const shownBeforeMirror: Rule = (recording) =>
  findingOf(
    sessionsOf(recording).flatMap(({ last, events }) => {
      const shown = events
        .map((event, index) => ({ event, index }))
        .filter(({ event }) => event.name === 'CampaignShown');
      return shown.flatMap(({ event, index }) => {
        const source = paramOf(event, 'source');
        const tracked = events.findLastIndex(
          ({ type, name }, at) => at < index && type === 'custom' && name === source,
        );
        if (tracked < 0) return [];
        const between = events.slice(tracked + 1, index);
        const isLate = between.some((one) => one.name === 'EventTriggered' && paramOf(one, 'sourceEvent') === source);
        return [faultIf(isLate, last.request, `EventTriggered comes before CampaignShown of ${String(source)}.`)];
      });
    }),
  );

const timestampEqualsDate: Rule = (recording) =>
  findingOf(
    uploadsOf(recording).flatMap(({ request, events }) =>
      events.map(({ event }) => {
        const apart = Math.abs(secondsOf(event.date) - event.timestamp);
        return faultIf(apart > 0.002, request, `timestamp and date of ${event.name} are ${apart} s apart.`);
      }),
    ),
  );

/** Date.parse does not read every form of openapi.yaml, "Dates and times". `valid-body` concerns a text without a form. */
function secondsOf(date: string): number {
  return parseIsoDateTime(date) ?? NaN;
}

export function paramOf({ params }: SessionEvent, name: string): unknown {
  return params.find((param) => param.name === name)?.value;
}

export const sessionRules = {
  'session-until-finished': sessionUntilFinished,
  'session-started-first': sessionStartedFirst,
  'finish-lost-session': finishLostSession,
  'event-ids-unique': eventIdsUnique,
  'shown-before-mirror': shownBeforeMirror,
  'timestamp-equals-date': timestampEqualsDate,
};
