// The rules of docs/sdk/rules.md, "Sessions and events".
import { parseIsoDateTime } from '../../../../src/platform/inputRules.ts';
import { seenStatus, type Recording, type Session, type SessionEvent } from '../recording.ts';
import { faultIf, findingOf, remembered, type Fault, type Rule } from './rule.ts';
import { contentKey, isAccepted, partOf, partOfSession, uploadsOf, type Upload } from './uploads.ts';

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
export const sessionsOf = remembered((recording: Recording): SeenSession[] => {
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
});

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
        faultIf(
          !finishAccepted,
          last.request,
          `No accepted upload brings the finishDate of session ${id}.`,
          partOfSession(last, id),
        ),
      ),
  );
};

const sessionStartedFirst: Rule = (recording) =>
  findingOf(
    sessionsOf(recording).flatMap(({ id, first }) => {
      const session = first.report.sessions.find((one) => one.id === id)!;
      const event = session.events?.[0];
      if (!event) return [];
      const type = paramOf(event, 'type');
      const isStart = event.name === 'SessionStarted' && (type === 'cold' || type === 'warm');
      const problem = `The first event of session ${id} is ${event.name} ${String(type)}.`;
      return [faultIf(!isStart, first.request, problem, partOf(first, { session, event }))];
    }),
  );

/**
 * The last event is the one that was recorded last, also where the clock has gone back since. It concerns
 * a session that was open at the first upload of the scene in which the process is killed, and has ended since.
 */
const finishLostSession: Rule = (recording) => {
  const killed = uploadsOf(recording).find(({ request }) => request.scene === 'process killed');
  const before = uploadsOf(recording).filter(({ request }) => killed && request.index < killed.request.index);
  const open = before.at(-1)?.report.sessions.filter(({ finishDate }) => !finishDate) ?? [];
  const lost = sessionsOf(recording).filter(({ id, finishDate }) => finishDate && open.some((one) => one.id === id));
  return findingOf(
    lost.map(({ id, last, events, finishDate }) => {
      const invented = events.some(({ name }) => name === 'SessionFinished');
      const end = events.at(-1)?.timestamp ?? NaN;
      const isLate = Math.abs(secondsOf(finishDate!) - end) > 1;
      const problem = invented ? 'The lost session has SessionFinished.' : 'finishDate is not that of the last event.';
      return faultIf(invented || isLate, last.request, problem, partOfSession(last, id));
    }),
  );
};

/**
 * A content that comes with another id, in an upload without the first one, is the same event with a new id. After a 200
 * it is another event: two events of one moment may be alike.
 */
const eventIdsUnique: Rule = (recording) => {
  const waiting = new Map<string, Set<string>>();
  return findingOf(uploadsOf(recording).map((upload) => repeatedId(upload) ?? changedId(upload, waiting)));
};

function repeatedId(upload: Upload): Fault | null {
  const { request, events } = upload;
  const seen = new Set<string>();
  for (const one of events) {
    const key = `${one.session.id} ${one.event.id}`;
    const problem = `The id ${one.event.id} comes twice in one upload.`;
    if (seen.has(key)) return { request, problem, part: partOf(upload, one) };
    seen.add(key);
  }
  return null;
}

/** `waiting` has the ids of each content that no 200 has acknowledged. */
function changedId(upload: Upload, waiting: Map<string, Set<string>>): Fault | null {
  const { request, events } = upload;
  const present = new Map<string, { ids: Set<string>; one: (typeof events)[number] }>();
  for (const one of events) {
    const key = contentKey(one.session, one.event);
    const found = present.get(key) ?? { ids: new Set(), one };
    found.ids.add(one.event.id);
    present.set(key, found);
  }
  for (const [key, { ids, one }] of present) {
    const before = waiting.get(key);
    const isNew = before !== undefined && ![...ids].some((id) => before.has(id));
    if (seenStatus(request) === 200) waiting.delete(key);
    else waiting.set(key, new Set([...(before ?? []), ...ids]));
    const problem = `The event ${key.slice('content '.length)} came before with another id.`;
    if (isNew) return { request, problem, part: partOf(upload, one) };
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
        const problem = `EventTriggered comes before CampaignShown of ${String(source)}.`;
        const seen = last.events.find((one) => one.event === event);
        return [faultIf(isLate, last.request, problem, seen && partOf(last, seen))];
      });
    }),
  );

const timestampEqualsDate: Rule = (recording) =>
  findingOf(
    uploadsOf(recording).flatMap((upload) =>
      upload.events.map((one) => {
        const { name, date, timestamp } = one.event;
        const apart = Math.abs(secondsOf(date) - timestamp);
        if (apart <= 0.002) return null;
        const problem = `timestamp and date of ${name} are ${apart} s apart.`;
        return { request: upload.request, problem, part: partOf(upload, one) };
      }),
    ),
  );

/** Date.parse does not read every form of openapi.yaml, "Dates and times". `valid-body` concerns a text without a form. */
export function secondsOf(date: string): number {
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
