// The rules of docs/sdk/rules.md, "Clock".
import { reasonOf, type Recording } from '../recording.ts';
import { faultIf, findingOf, notSeen, type Fault, type Rule } from './rule.ts';
import { isAccepted, laterThan, uploadsOf, type Upload } from './uploads.ts';

/** Whole seconds on both sides, the way there and back, and the two seconds that an SDK may tolerate. */
const toleranceSeconds = 10;
/** The server takes a timestamp 300 s ahead. */
const windowSeconds = 300;

const serverSeconds = ({ request }: Upload): number => request.serverTime / 1_000;

/** The first upload of each signature. */
function signedAnew(uploads: Upload[]): Upload[] {
  return uploads.filter(({ nonce, request }, index) => {
    const same = uploads.findIndex((other) => other.nonce === nonce && other.request.body === request.body);
    return same === index;
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
      const atOnce = third && third.request.arrivedAt - again.request.endedAt < 300;
      const isThird = reasonOf(again.request) === reason && atOnce;
      const twice = isThird ? faultIf(true, third.request, 'It signs again more than once.') : null;
      return [faultIf(isSame || isLate, again.request, problem) ?? twice];
    });
}

const offsetKeptWithinTwoSeconds: Rule = (recording) => {
  const uploads = uploadsOf(recording);
  if (uploads.length < 3) return notSeen;
  return findingOf(
    uploads.flatMap(({ request, report }) =>
      report.sessions.map(({ events = [] }) => {
        const swapped = events.findIndex((event, index) => {
          const back = (events[index - 1]?.timestamp ?? -Infinity) - event.timestamp;
          // A longer way back is a clock that really moved.
          return back > 0 && back < 60;
        });
        const problem = `${events[swapped]?.name} is earlier than the event that was recorded before it.`;
        return faultIf(swapped >= 0, request, problem);
      }),
    ),
  );
};

/** The scripted clock is two hours slow, so an event that was not moved lies in the server's future. */
const restampUnsentEvents: Rule = (recording) => {
  const first = uploadsOf(recording).find(isAccepted);
  if (!first) return notSeen;
  const ahead = first.events.find(({ event }) => event.timestamp > serverSeconds(first) + windowSeconds);
  const problem = `${ahead?.event.name} lies in the future of the server: nothing moved its time.`;
  return findingOf([faultIf(ahead !== undefined, first.request, problem)]);
};

const timestampNeverBack: Rule = (recording) => {
  let latest = 0;
  return findingOf(
    uploadsOf(recording).map((upload) => {
      if (latest > serverSeconds(upload) + windowSeconds) latest = 0;
      const problem = `X-Timestamp is ${latest - upload.timestamp} s before that of an earlier upload.`;
      const fault = faultIf(upload.timestamp < latest, upload.request, problem);
      if (isAccepted(upload)) latest = Math.max(latest, upload.timestamp);
      return fault;
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
