// The rules of docs/sdk/rules.md, "Clock".
import { hasFailed, reasonOf, type Recording } from '../recording.ts';
import { faultIf, findingOf, notSeen, type Fault, type Rule } from './rule.ts';
import { isAccepted, laterThan, partOf, uploadsOf, type Upload } from './uploads.ts';

/** Whole seconds on both sides, the way there and back, and the two seconds that an SDK may tolerate. */
const toleranceSeconds = 10;
/** The server takes a timestamp 300 s ahead. */
const windowSeconds = 300;
/** An SDK forgets a timestamp that is 290 s ahead of its own clock, which may be some seconds wrong. */
const forgottenSeconds = 285;

const serverSeconds = ({ request }: Upload): number => request.serverTime / 1_000;

/** The first upload of each signature. */
function signedAnew(uploads: Upload[]): Upload[] {
  const known = new Map<string, Set<string>>();
  return uploads.filter(({ nonce, request }) => {
    const bodies = known.get(nonce) ?? new Set();
    known.set(nonce, bodies);
    return bodies.size !== bodies.add(request.body).size;
  });
}

/** Where the server's clock moved by more than a minute against the monotonic clock since the request before. */
function clockMovedBefore({ requests }: Recording, upload: Upload): boolean {
  const before = requests[upload.request.index - 1];
  if (!before) return true;
  const offset = (one: typeof before): number => one.serverTime - one.arrivedAt;
  return Math.abs(offset(before) - offset(upload.request)) > 60_000;
}

const clockFromDateHeader: Rule = (recording) =>
  findingOf(
    signedAnew(uploadsOf(recording))
      .filter((upload) => !clockMovedBefore(recording, upload))
      .map((upload) => {
        const away = Math.round(upload.timestamp - serverSeconds(upload));
        const side = away > 0 ? 'ahead of' : 'behind';
        const problem = `X-Timestamp is ${Math.abs(away)} s ${side} the server's clock, as the Date before gave it.`;
        return faultIf(Math.abs(away) > toleranceSeconds, upload.request, problem);
      }),
  );

/** A later flush brings more events, or comes later. */
function isSameUpload(one: Upload, other: Upload): boolean {
  const [ids, others] = [one, other].map(({ identities }) => [...identities].sort((a, b) => a - b).join());
  return ids === others;
}

/** The next upload after the refusal has another nonce, and the SDK does not send a third time at once. */
function resignedOnce(reason: string, recording: Recording): (Fault | null)[] {
  const uploads = uploadsOf(recording);
  return uploads
    .filter(({ request }, index) => {
      const before = uploads[index - 1];
      return reasonOf(request) === reason && (!before || reasonOf(before.request) !== reason);
    })
    .flatMap((upload) => {
      const [again, third] = laterThan(upload, uploads);
      if (!again) return [];
      const isSame = again.nonce === upload.nonce;
      const isLate = again.request.arrivedAt - upload.request.endedAt > 5_000;
      const problem = `It does not sign request ${upload.request.index} again at once, with a new nonce.`;
      const isOther = reason === 'nonce_reused' && again.request.body !== upload.request.body;
      const other = `It has another body than request ${upload.request.index}, which only needed another nonce.`;
      const isRefused = reasonOf(again.request) === reason;
      const isUncorrected =
        reason === 'timestamp_out_of_window' && isRefused && !clockMovedBefore(recording, again) && !isSame;
      const uncorrected = `It is signed by a clock that the Date of request ${upload.request.index} did not correct.`;
      const atOnce = third && third.request.arrivedAt - again.request.endedAt < 300;
      const isThird = isRefused && atOnce && isSameUpload(again, third);
      const twice = isThird ? faultIf(true, third.request, 'It signs again more than once.') : null;
      return [
        faultIf(isSame || isLate, again.request, problem) ??
          faultIf(isOther, again.request, other) ??
          faultIf(isUncorrected, again.request, uncorrected) ??
          twice,
      ];
    });
}

const offsetKeptWithinTwoSeconds: Rule = (recording) => {
  const uploads = uploadsOf(recording);
  if (uploads.length < 3) return notSeen;
  return findingOf(
    uploads.flatMap((upload) =>
      upload.report.sessions.map((session) => {
        const { events = [] } = session;
        const swapped = events.findIndex((event, index) => {
          const back = (events[index - 1]?.timestamp ?? -Infinity) - event.timestamp;
          // A longer way back is a clock that really moved.
          return back > 0 && back < 60;
        });
        const problem = `${events[swapped]?.name} is earlier than the event that was recorded before it.`;
        const part = swapped < 0 ? undefined : partOf(upload, { session, event: events[swapped]! });
        return faultIf(swapped >= 0, upload.request, problem, part);
      }),
    ),
  );
};

/**
 * The scripted clock is two hours slow, so an event that was not moved lies in the server's future. A repeat of an upload
 * that failed keeps its bytes, and with them the times of before the correction.
 */
const restampUnsentEvents: Rule = (recording) => {
  const failed = new Set<string>();
  const first = uploadsOf(recording).find((upload) => {
    if (hasFailed(upload.request)) failed.add(upload.request.body);
    return isAccepted(upload) && !failed.has(upload.request.body);
  });
  if (!first) return notSeen;
  const ahead = first.events.find(({ event }) => event.timestamp > serverSeconds(first) + windowSeconds);
  const problem = `${ahead?.event.name} lies in the future of the server: nothing moved its time.`;
  return findingOf([faultIf(ahead !== undefined, first.request, problem, ahead && partOf(first, ahead))]);
};

/** Whatever the responses were: openapi.yaml, "Clock correction". */
const timestampNeverBack: Rule = (recording) => {
  let sent: number[] = [];
  return findingOf(
    uploadsOf(recording).map((upload) => {
      sent = sent.filter((timestamp) => timestamp <= serverSeconds(upload) + forgottenSeconds);
      const latest = Math.max(0, ...sent);
      sent = [latest, upload.timestamp];
      const problem = `X-Timestamp is ${latest - upload.timestamp} s before that of an earlier upload.`;
      return faultIf(upload.timestamp < latest, upload.request, problem);
    }),
  );
};

export const clockRules = {
  'clock-from-date-header': clockFromDateHeader,
  'resign-once-on-wrong-clock': ((recording) =>
    findingOf(resignedOnce('timestamp_out_of_window', recording))) satisfies Rule,
  'resign-once-on-nonce-reused': ((recording) => findingOf(resignedOnce('nonce_reused', recording))) satisfies Rule,
  'offset-kept-within-two-seconds': offsetKeptWithinTwoSeconds,
  'restamp-unsent-events': restampUnsentEvents,
  'timestamp-never-back': timestampNeverBack,
};
