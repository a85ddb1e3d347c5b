// The rules of docs/sdk/rules.md, "Retries", on what is sent again. Their waits are in waits.ts.
import { hasFailed, reasonOf, seenStatus, type Recording } from '../recording.ts';
import { findingOf, type Fault, type Rule } from './rule.ts';
import { takenOutOf } from './takenOut.ts';
import { isAccepted, laterThan, sessionIds, shares, uploadsOf, type Upload } from './uploads.ts';

/** The upload comes again when its events do; an upload without events when its sessions do. */
function comesAgain(upload: Upload, later: Upload[]): boolean {
  const ids = sessionIds(upload);
  if (upload.events.length === 0) return later.some((other) => sessionIds(other).some((id) => ids.includes(id)));
  const seen = new Set(later.flatMap(({ identities }) => [...identities]));
  return [...upload.identities].every((identity) => seen.has(identity));
}

function sentAgainAfter(concerns: (upload: Upload) => boolean, what: string): Rule {
  return (recording) => {
    const uploads = uploadsOf(recording);
    return findingOf(
      uploads.filter(concerns).flatMap((upload): (Fault | null)[] => {
        const later = laterThan(upload, uploads);
        if (comesAgain(upload, later)) return [null];
        // Without a later upload the run may have ended during the wait.
        if (later.length === 0) return [];
        const problem = `Later uploads do not bring all of its events, although ${what}.`;
        return [{ request: upload.request, problem }];
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
  attempts: number;
}

/** Each upload whose response failed, with the next upload that brings its events. */
function retriesIn(recording: Recording): Retry[] {
  const uploads = uploadsOf(recording);
  return uploads
    .filter(({ request }) => hasFailed(request))
    .flatMap((before) => {
      const retry = laterThan(before, uploads).find((other) => shares(before, other));
      const same = uploads.filter(
        ({ nonce, request }) => nonce === before.nonce && request.index <= before.request.index,
      );
      return retry ? [{ first: same[0]!, before, retry, attempts: same.length }] : [];
    });
}

const retrySameBytes: Rule = (recording) =>
  findingOf(
    retriesIn(recording)
      .filter(({ first, retry, attempts }) => attempts < mostAttempts && ageOf(first, retry) <= staleAfter)
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
      .map(({ before, retry }) => {
        const problem = `The retry of request ${before.request.index} still has its old signature.`;
        return before.nonce === retry.nonce ? { request: retry.request, problem } : null;
      }),
  );

function ageOf(first: Upload, retry: Upload): number {
  return retry.request.arrivedAt - first.request.arrivedAt;
}

function isFinalRefusal({ request }: Upload): boolean {
  const cured = ['timestamp_out_of_window', 'nonce_reused'].includes(reasonOf(request) ?? '');
  return [403, 404, 415].includes(request.response.status) && !cured;
}

const stopAfterRefusal: Rule = (recording) => {
  const uploads = uploadsOf(recording);
  return findingOf(
    uploads.filter(isFinalRefusal).flatMap((upload) => {
      const [next] = laterThan(upload, uploads);
      if (!next) return [];
      const problem = `It follows the ${upload.request.response.status} of request ${upload.request.index}, without a start of the app.`;
      return [appStartedBetween(upload, next, recording) ? null : { request: next.request, problem }];
    }),
  );
};

/**
 * A start of the app begins a session and fetches the configuration. The SDK may send the kept batch alone first, so the
 * new session may come in a later upload. Then the fetch shows the start.
 */
export function appStartedBetween(refused: Upload, next: Upload, recording: Recording): boolean {
  const uploads = uploadsOf(recording);
  if (bringsNewSession(next, uploads)) return true;
  const fetched = recording.requests.some(
    ({ operation, index }) =>
      operation === 'getCampaigns' && index > refused.request.index && index < next.request.index,
  );
  return fetched && laterThan(next, uploads).some((later) => bringsNewSession(later, uploads));
}

function bringsNewSession(upload: Upload, uploads: Upload[]): boolean {
  const before = uploads.filter(({ request }) => request.index < upload.request.index).flatMap(sessionIds);
  return sessionIds(upload).some((id) => !before.includes(id));
}

/** An event that a 5xx, a lost response, a 413 or a 422 met last breaks the rule on that response, not this one. */
const keepUntil2xx: Rule = (recording) => {
  const uploads = uploadsOf(recording);
  const accepted = new Set(uploads.filter(isAccepted).flatMap(({ identities }) => [...identities]));
  const gone = takenOutOf(uploads);
  const last = new Map<number, Upload>();
  for (const upload of uploads) for (const identity of upload.identities) last.set(identity, upload);
  const lost = [...last].filter(([identity, { request }]) => {
    const isElsewhere = hasFailed(request) || [413, 422].includes(request.response.status);
    return !accepted.has(identity) && !gone.has(identity) && !isElsewhere;
  });
  const end = uploads.at(-1);
  const faults = lost
    // The run may have ended before the next start of the app.
    .filter(([, { request }]) => end && request.index < end.request.index)
    .map(([, { request }]) => ({ request, problem: 'An event of this request never arrives with a 200.' }));
  return findingOf([...faults, ...missingSessions(uploads), ...(accepted.size > 0 ? [null] : [])]);
};

/** `number.global` counts the sessions of a device, so a gap is a session that never arrived. */
function missingSessions(uploads: Upload[]): Fault[] {
  const numbers = uploads.flatMap(({ report }) => report.sessions.map(({ number }) => number.global));
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  for (let number = first; number < last; number += 1) {
    if (numbers.includes(number)) continue;
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
