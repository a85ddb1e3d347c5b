// The rules of docs/sdk/rules.md, "Refusals of content".
import { fieldsOf, type Recording } from '../recording.ts';
import { appStartedBetween } from './retries.ts';
import { faultIf, findingOf, type Fault, type Rule } from './rule.ts';
import { namedEvents, takenOutOf } from './takenOut.ts';
import { isAccepted, laterThan, shares, uploadsOf, type Upload } from './uploads.ts';

interface Refused {
  upload: Upload;
  later: Upload[];
  uploads: Upload[];
}

/** Refused uploads after which the run went on. */
function refusedWith(status: number, recording: Recording): Refused[] {
  const uploads = uploadsOf(recording);
  return uploads
    .filter(({ request }) => request.response.status === status && request.loss === null)
    .map((upload) => ({ upload, later: laterThan(upload, uploads), uploads }))
    .filter(({ later }) => later.length > 0);
}

const halveOn413: Rule = (recording) =>
  findingOf(
    refusedWith(413, recording)
      .filter(({ upload }) => upload.identities.size > 1)
      .map(({ upload, later, uploads }) =>
        faultIf413(
          upload,
          later.filter((other) => shares(other, upload)),
          uploads,
        ),
      ),
  );

function faultIf413({ request, identities }: Upload, parts: Upload[], uploads: Upload[]): Fault | null {
  const whole = parts.find((part) => [...identities].every((identity) => part.identities.has(identity)));
  if (whole) return { request: whole.request, problem: `It brings all of request ${request.index} again.` };
  const gone = takenOutOf(uploads);
  const accepted = parts.filter(isAccepted);
  // A retry after a lost response has the nonce of the upload before.
  const bodies = new Map(accepted.map((part) => [part.nonce, part]));
  for (const identity of identities) {
    const count = [...bodies.values()].filter((part) => part.identities.has(identity)).length;
    if (count === 0 && !gone.has(identity))
      return { request, problem: 'An event of this batch never arrives after it.' };
    if (count > 1) return { request, problem: 'An event of this batch comes twice after it.' };
  }
  return null;
}

const sameSessionFieldsInHalves: Rule = (recording) =>
  findingOf(
    refusedWith(413, recording).flatMap(({ upload, later }) => {
      const isPart = (part: Upload): boolean =>
        [...part.identities].every((identity) => upload.identities.has(identity));
      return later
        .filter((part) => shares(part, upload) && isPart(part))
        .flatMap((part) => part.report.sessions.map((session) => ({ part, session })))
        .map(({ part, session }) => {
          const whole = upload.report.sessions.find(({ id }) => id === session.id);
          const text = (one: typeof session | undefined): string =>
            JSON.stringify([one?.number, one?.startDate, one?.finishDate ?? null]);
          const problem = `The session ${session.id} has other fields than in request ${upload.request.index}.`;
          return faultIf(text(whole) !== text(session), part.request, problem);
        });
    }),
  );

/** Per 422: the events that it does not name, and how many of them arrive later. */
function restsIn(recording: Recording) {
  return refusedWith(422, recording).flatMap(({ upload, later, uploads }) => {
    const named = namedEvents(upload);
    const others = takenOutOf(uploads);
    const rest = [...upload.identities].filter((identity) => !named.has(identity) && !others.has(identity));
    const arrived = new Set(later.filter(isAccepted).flatMap(({ identities }) => [...identities]));
    const count = rest.filter((identity) => arrived.has(identity)).length;
    return rest.length > 0 ? [{ upload, later, rest: rest.length, count }] : [];
  });
}

const sendTheRest: Rule = (recording) =>
  findingOf(
    restsIn(recording).map(({ upload, rest, count }) =>
      faultIf(count === 0, upload.request, `None of the ${rest} events that the 422 does not name arrives later.`),
    ),
  );

const takeOutNamedFields: Rule = (recording) =>
  findingOf(
    restsIn(recording)
      .filter(({ count }) => count > 0)
      .map(({ upload, later, rest, count }) => {
        const problem = `Only ${count} of the ${rest} events that the 422 does not name arrive later.`;
        return faultIf(count < rest, upload.request, problem) ?? faultAtProperty(upload, later);
      }),
  );

/** A property that was named is not sent again with the same value. */
function faultAtProperty(upload: Upload, later: Upload[]): Fault | null {
  const [, index] = /^user\.properties\[(\d+)\]/.exec(fieldsOf(upload.request)[0]?.path ?? '') ?? [];
  const property = upload.report.user.properties?.[Number(index)];
  const next = later[0];
  const isSame = (next?.report.user.properties ?? []).some(
    ({ name, value }) => name === property?.name && value === property.value,
  );
  return next ? faultIf(isSame, next.request, `It brings the property ${property?.name} that a 422 named.`) : null;
}

const no422Twice: Rule = (recording) =>
  findingOf(
    refusedWith(422, recording)
      .filter(({ upload }) => namedEvents(upload).size > 0)
      .map(({ upload, later }) => {
        const named = namedEvents(upload);
        const again = later.find(({ identities }) => [...named].some((identity) => identities.has(identity)));
        const problem = `It brings an event that the 422 of request ${upload.request.index} named.`;
        return again ? { request: again.request, problem } : null;
      }),
  );

/** Judged only where the SDK sends the rest at all: send-the-rest concerns the others. */
const repeatFullList: Rule = (recording) =>
  findingOf(
    refusedWith(422, recording)
      .filter(({ upload }) => fieldsOf(upload.request).length >= 100)
      .flatMap(({ upload, later }) => {
        const again = later.filter((other) => shares(other, upload));
        const problem = 'The SDK does not go on until the server accepts the batch.';
        return again.length > 0 ? [faultIf(!again.some(isAccepted), upload.request, problem)] : [];
      }),
  );

const holdOnRequiredDeviceField: Rule = (recording) =>
  findingOf(
    refusedWith(422, recording)
      .filter(({ upload }) =>
        fieldsOf(upload.request).some(({ path }) => path.startsWith('device.properties.deviceModel')),
      )
      .map(({ upload, later: [next] }) => {
        const problem = `It follows the 422 of request ${upload.request.index}, without a start of the app.`;
        return faultIf(!appStartedBetween(upload, next!, recording), next!.request, problem);
      }),
  );

export const refusalRules = {
  'halve-on-413': halveOn413,
  'same-session-fields-in-halves': sameSessionFieldsInHalves,
  'take-out-named-fields': takeOutNamedFields,
  'send-the-rest': sendTheRest,
  'no-422-twice': no422Twice,
  'repeat-full-list': repeatFullList,
  'hold-on-required-device-field': holdOnRequiredDeviceField,
};
