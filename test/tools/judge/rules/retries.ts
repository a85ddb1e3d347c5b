// The rules of docs/sdk/rules.md, "Retries", on what is sent again. Their waits are in waits.ts.
import { hasFailed, reasonOf, seenStatus, type Recorded, type Recording } from '../recording.ts';
import { faultIf, findingOf, type Fault, type Rule } from './rule.ts';
import { appStartedBetween } from './starts.ts';
import { takenOutOf } from './takenOut.ts';
import {
  lastRequestsOf,
  laterThan,
  partOf,
  sessionIds,
  shares,
  uploadsOf,
  type SeenEvent,
  type Upload,
} from './uploads.ts';

/** An event that no later upload brings; undefined when all come again. */
function eventLeftBehind(upload: Upload, uploads: Upload[]): SeenEvent | undefined {
  const { seen } = lastRequestsOf(uploads);
  return upload.events.find(({ identity }) => seen.get(identity) === upload.request.index);
}

/** An upload without events comes again when its sessions do. */
function comesAgain(upload: Upload, uploads: Upload[]): boolean {
  if (upload.events.length > 0) return eventLeftBehind(upload, uploads) === undefined;
  const ids = sessionIds(upload);
  return laterThan(upload, uploads).some((other) => sessionIds(other).some((id) => ids.includes(id)));
}

function sentAgainAfter(concerns: (upload: Upload) => boolean, what: string): Rule {
  return (recording) => {
    const uploads = uploadsOf(recording);
    return findingOf(
      uploads.filter(concerns).flatMap((upload): (Fault | null)[] => {
        if (comesAgain(upload, uploads)) return [null];
        // Without a later upload the run may have ended during the wait.
        if (upload === uploads.at(-1)) return [];
        const problem = `Later uploads do not bring all of its events, although ${what}.`;
        const left = eventLeftBehind(upload, uploads);
        return [{ request: upload.request, problem, part: left && partOf(upload, left) }];
      }),
    );
  };
}

const retry5xx = sentAgainAfter(({ request }) => (seenStatus(request) ?? 0) >= 500, 'the response was a 5xx');
const resendAfterLostReply = sentAgainAfter(({ request }) => request.loss !== null, 'the response did not arrive');

/** One flush makes at most 5 attempts. The next flush makes a new upload. */
const mostAttempts = 5;
/** In milliseconds, from the first attempt. */
const staleAfter = 120_000;

interface Retry {
  first: Upload;
  before: Upload;
  retry: Upload;
  sameFlush: boolean;
}

/**
 * Each upload whose response failed, with the next upload that brings its events. `sameFlush` is false where the harness
 * asked for its next step in between: a new flush may make a new upload.
 */
function retriesIn(recording: Recording): Retry[] {
  const uploads = uploadsOf(recording);
  return uploads
    .filter(({ request }) => hasFailed(request))
    .flatMap((before) => {
      const retry = laterThan(before, uploads).find((other) => shares(before, other));
      const same = uploads.filter(
        ({ nonce, request }) => nonce === before.nonce && request.index <= before.request.index,
      );
      const sameFlush = same[0]?.request.round === retry?.request.round && same.length < mostAttempts;
      return retry ? [{ first: same[0]!, before, retry, sameFlush }] : [];
    });
}

const retrySameBytes: Rule = (recording) =>
  findingOf(
    retriesIn(recording)
      .filter(({ first, retry, sameFlush }) => sameFlush && ageOf(first, retry) <= staleAfter)
      .map(({ before, retry }) => {
        const isSame = before.nonce === retry.nonce && before.request.body === retry.request.body;
        const problem = `The retry of request ${before.request.index} has another body, nonce or signature.`;
        return isSame ? null : { request: retry.request, problem };
      }),
  );

const signAgainWhenStale: Rule = (recording) =>
  findingOf(
    retriesIn(recording)
      // A second more, because X-Timestamp is in whole seconds.
      .filter(({ first, retry }) => ageOf(first, retry) > staleAfter + 1_000)
      .map(({ before, retry, sameFlush }) => {
        const old = `The retry of request ${before.request.index} still has its old signature.`;
        const isOld = before.nonce === retry.nonce || before.timestamp === retry.timestamp;
        const other = `The retry of request ${before.request.index} has another body, in the same flush.`;
        const isOther = sameFlush && before.request.body !== retry.request.body;
        return faultIf(isOld, retry.request, old) ?? faultIf(isOther, retry.request, other);
      }),
  );

function ageOf(first: Upload, retry: Upload): number {
  return retry.request.arrivedAt - first.request.arrivedAt;
}

function isFinalRefusal(request: Recorded): boolean {
  const cured = ['timestamp_out_of_window', 'nonce_reused'].includes(reasonOf(request) ?? '');
  return [403, 404, 415].includes(seenStatus(request) ?? 0) && !cured;
}

/** Of any operation, because the key is the same. A request that was under way already is none of its faults. */
const stopAfterRefusal: Rule = (recording) => {
  const routed = recording.requests.filter(({ operation }) => operation !== null);
  return findingOf(
    routed.flatMap((refused, index) => {
      if (!isFinalRefusal(refused)) return [];
      const next = routed.slice(index + 1).find(({ arrivedAt }) => arrivedAt >= refused.endedAt);
      if (!next) return [];
      const problem = `It follows the ${refused.response.status} of request ${refused.index}, without a start of the app.`;
      return [faultIf(!appStartedBetween(refused, next, recording), next, problem)];
    }),
  );
};

/**
 * Whatever response an event met last. The run may end before the SDK sends it again: it is lost when a stored upload has
 * brought newer events since.
 */
const keepUntil2xx: Rule = (recording) => {
  const uploads = uploadsOf(recording);
  const { seen, stored } = lastRequestsOf(uploads);
  const gone = takenOutOf(uploads);
  const newest = newestStored(uploads);
  const faults = uploads.flatMap((upload) => {
    const { index } = upload.request;
    const lost = upload.events.find(
      ({ identity }) => seen.get(identity) === index && !stored.has(identity) && !gone.has(identity) && index < newest,
    );
    const problem = 'An event of this request never arrives with a 200.';
    return lost ? [{ request: upload.request, problem, part: partOf(upload, lost) }] : [];
  });
  return findingOf([...faults, ...missingSessions(uploads), ...(stored.size > 0 ? [null] : [])]);
};

/** The first request with an event of the newest stored upload that brings an event for the first time. */
function newestStored(uploads: Upload[]): number {
  const first = new Map<number, number>();
  let newest = -1;
  for (const { identities, request } of uploads) {
    for (const identity of identities) {
      if (!first.has(identity)) first.set(identity, request.index);
      if (request.stored) newest = Math.max(newest, first.get(identity)!);
    }
  }
  return newest;
}

/** `number.global` counts the sessions of a device, so a gap is a session that never arrived. */
function missingSessions(uploads: Upload[]): Fault[] {
  const numbers = uploads.flatMap(({ report }) => report.sessions.map(({ number }) => number.global));
  const sorted = [...new Set(numbers)].sort((one, other) => one - other);
  for (const [at, before] of sorted.slice(0, -1).entries()) {
    const number = before + 1;
    if (sorted[at + 1] === number) continue;
    return [{ request: uploads.at(-1)!.request, problem: `The session with number.global ${number} never arrives.` }];
  }
  return [];
}

export const retryRules = {
  'retry-5xx': retry5xx,
  'resend-after-lost-reply': resendAfterLostReply,
  'retry-same-bytes': retrySameBytes,
  'sign-again-when-stale': signAgainWhenStale,
  'stop-after-refusal': stopAfterRefusal,
  'keep-until-2xx': keepUntil2xx,
};
