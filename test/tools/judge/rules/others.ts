// The rules of docs/sdk/rules.md, "Configuration" and "Attribution and transactions".
import { fieldsOf, hasFailed, header, seenStatus, type Recorded, type Recording } from '../recording.ts';
import { faultIf, findingOf, notSeen, type Fault, type Rule } from './rule.ts';
import { secondsOf, sessionsOf } from './sessions.ts';
import { endOf } from './starts.ts';
import { isAccepted, uploadsOf } from './uploads.ts';
import { waitsIn } from './waits.ts';

function ofOperation(operation: Recorded['operation'], { requests }: Recording): Recorded[] {
  return requests.filter((request) => request.operation === operation);
}

const fetchesOf = (recording: Recording): Recorded[] => ofOperation('getCampaigns', recording);

/** A session of a few seconds may end before its fetch. */
const shortSessionSeconds = 5;

const fetchAtSessionStart: Rule = (recording) => {
  if (uploadsOf(recording).filter(isAccepted).length < 3) return notSeen;
  return findingOf(
    sessionsOf(recording).flatMap(({ id, last, events, finishAccepted }) => {
      const times = events.map(({ timestamp }) => timestamp);
      const [begin, end] = [
        times.reduce((a, b) => Math.min(a, b), Infinity),
        times.reduce((a, b) => Math.max(a, b), 0),
      ];
      const isLong = end - begin > shortSessionSeconds && !isWithinWait({ begin, end }, recording);
      const fetched = events.some(({ name }) => name === 'ConfigFetchStarted');
      if (!fetched && (!finishAccepted || !isLong) && fetchesOf(recording).length > 0) return [];
      return [faultIf(!fetched, last.request, `The session ${id} has no ConfigFetchStarted.`)];
    }),
  );
};

/** A fetch that is due during a wait begins after it, and a session may begin and end in one wait. */
function isWithinWait({ begin, end }: { begin: number; end: number }, recording: Recording): boolean {
  return waitsIn(recording).some(
    ({ failure, next }) =>
      begin >= endOf(failure) - shortSessionSeconds && end <= next.serverTime / 1_000 + shortSessionSeconds,
  );
}

/** An upload may be under way when the new revision arrives, so two more uploads are allowed before the fetch. */
const fetchConfigOnRevision: Rule = (recording) => {
  const { requests } = recording;
  const accepted = ofOperation('reportSessions', recording).filter(({ stored, loss }) => stored && loss === null);
  const revisionOf = ({ response }: Recorded): string | undefined => response.headers['X-Config-Revision'];
  return findingOf(
    accepted.slice(1).flatMap((request, index): (Fault | null)[] => {
      if (revisionOf(request) === revisionOf(accepted[index]!)) return [];
      const third = accepted.filter((one) => one.index > request.index)[2];
      const isFetched = fetchesOf(recording).some(
        (fetch) => fetch.index > request.index && fetch.index < (third?.index ?? requests.length),
      );
      if (isFetched) return [null];
      return third ? [{ request, problem: 'No fetch follows this response, whose X-Config-Revision is new.' }] : [];
    }),
  );
};

const ifNoneMatch: Rule = (recording) => {
  const tags = new Map<string, string>();
  return findingOf(
    fetchesOf(recording).flatMap((request) => {
      const held = tags.get(request.target);
      const tag = request.response.headers['ETag'];
      if (seenStatus(request) === 200 && tag !== undefined) tags.set(request.target, tag);
      if (held === undefined) return [];
      const problem = `If-None-Match is not ${held}, the tag of the last response for this URL.`;
      return [faultIf(header(request, 'if-none-match') !== held, request, problem)];
    }),
  );
};

const isEventOf = (name: string) => (event: { name: string }) => event.name === name;

/** Its session has ended, or its process died, before the response to the last attempt came. */
function outlivesItsSession(
  { events, finishDate }: ReturnType<typeof sessionsOf>[number],
  recording: Recording,
): boolean {
  const begun = events.findLast(isEventOf('ConfigFetchStarted'))!;
  const end = finishDate === null ? Infinity : secondsOf(finishDate);
  const fetches = fetchesOf(recording).filter(({ serverTime }) => serverTime / 1_000 >= begun.timestamp - 4);
  const first = fetches.findIndex((fetch) => !hasFailed(fetch));
  const last = fetches[first < 0 ? fetches.length - 1 : first];
  return last === undefined || endOf(last) >= end - 4 || last.loss !== null;
}

const fetchEventsRecorded: Rule = (recording) => {
  const sessions = sessionsOf(recording);
  const count = (name: string): number =>
    sessions.reduce((sum, { events }) => sum + events.filter(isEventOf(name)).length, 0);
  const [started, finished] = [count('ConfigFetchStarted'), count('ConfigFetchFinished')];
  const allowed = sessions.filter(({ events, ...session }) => {
    const names = events.map(({ name }) => name).filter((name) => name.startsWith('ConfigFetch'));
    return names.at(-1) === 'ConfigFetchStarted' && outlivesItsSession({ events, ...session }, recording);
  }).length;
  const fetches = fetchesOf(recording);
  const last = uploadsOf(recording).findLast(isAccepted);
  if (!last || fetches.length < 2) return notSeen;
  // The last fetch may have begun after the last upload.
  const isWrong =
    started > fetches.length || started === 0 || finished > started || started - finished > Math.max(1, allowed);
  const problem = `${fetches.length} requests, ${started} ConfigFetchStarted, ${finished} ConfigFetchFinished.`;
  return findingOf([faultIf(isWrong, last.request, problem)]);
};

const attributionSameBytes: Rule = (recording) => {
  const reports = ofOperation('reportAttribution', recording);
  return findingOf(
    reports.flatMap((request, index) => {
      const next = reports[index + 1];
      if (!hasFailed(request) || !next) return [];
      return [faultIf(next.body !== request.body, next, `Its bytes are not those of request ${request.index}.`)];
    }),
  );
};

const idsOf = ({ json }: Recorded): string[] =>
  ((json as { transactions?: { id: string }[] } | null)?.transactions ?? []).map(({ id }) => id);

const transactionsRestAfter422: Rule = (recording) => {
  const reports = ofOperation('reportStoreTransactions', recording);
  const later = (request: Recorded): Recorded[] => reports.filter(({ index }) => index > request.index);
  return findingOf(
    reports
      .filter(({ response, faults }) => response.status === 422 && faults.length === 0)
      .map((request) => {
        const named = fieldsOf(request).map(({ path }) => Number(/^transactions\[(\d+)\]/.exec(path)?.[1]));
        const rest = idsOf(request).filter((_, index) => !named.includes(index));
        const accepted = later(request)
          .filter(({ stored }) => stored)
          .flatMap(idsOf);
        const missing = rest.find((id) => !accepted.includes(id));
        return faultIf(
          missing !== undefined,
          request,
          `The transaction ${missing}, which is not named, never arrives.`,
        );
      }),
  );
};

export const otherRules = {
  'fetch-at-session-start': fetchAtSessionStart,
  'fetch-config-on-revision': fetchConfigOnRevision,
  'if-none-match': ifNoneMatch,
  'fetch-events-recorded': fetchEventsRecorded,
  'attribution-same-bytes': attributionSameBytes,
  'transactions-rest-after-422': transactionsRestAfter422,
};
