// The rules of docs/sdk/rules.md, "Refusals of content".
import { fieldsOf, type Recording } from '../recording.ts';
import { faultIf, findingOf, type Fault, type Rule } from './rule.ts';
import { appStartedBetween } from './starts.ts';
import { namedEvents, namedPropertiesOf, takenOutOf } from './takenOut.ts';
import { isAccepted, lastRequestsOf, laterThan, partOf, shares, uploadsOf, type Upload } from './uploads.ts';

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
          { uploads, recording },
        ),
      ),
  );

/** The halves outlast the flush, and not the process: openapi.yaml, "Retries". */
function faultIf413(upload: Upload, parts: Upload[], run: { uploads: Upload[]; recording: Recording }): Fault | null {
  const { request, identities } = upload;
  const { uploads, recording } = run;
  const whole = parts.find((part) => [...identities].every((identity) => part.identities.has(identity)));
  if (whole && !appStartedBetween(request, whole.request, recording))
    return { request: whole.request, problem: `It brings all of request ${request.index} again.` };
  const gone = takenOutOf(uploads);
  const { stored } = lastRequestsOf(uploads);
  // Where the response was lost, the SDK sends the events again, and in a later flush in another upload.
  const heard = parts.filter((part) => isAccepted(part) && part.request.loss === null);
  for (const event of upload.events) {
    const { identity } = event;
    const part = partOf(upload, event);
    const count = heard.filter(({ identities: brought }) => brought.has(identity)).length;
    if ((stored.get(identity) ?? -1) < request.index && !gone.has(identity))
      return { request, problem: 'An event of this batch never arrives after it.', part };
    if (count > 1) return { request, problem: 'An event of this batch comes twice after it.', part };
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
          // In a later flush the session may have ended.
          const hasEnded = part.request.round !== upload.request.round && !whole?.finishDate;
          const text = (one: typeof session | undefined): string =>
            JSON.stringify([one?.number, one?.startDate, hasEnded ? null : (one?.finishDate ?? null)]);
          const problem = `The session ${session.id} has other fields than in request ${upload.request.index}.`;
          return faultIf(text(whole) !== text(session), part.request, problem);
        });
    }),
  );

/** Per 422: the events that it does not name, and how many of them arrive later. */
function restsIn(recording: Recording) {
  return refusedWith(422, recording).flatMap(({ upload, uploads }) => {
    const named = namedEvents(upload);
    const others = takenOutOf(uploads);
    const { stored } = lastRequestsOf(uploads);
    const rest = upload.events.filter(({ identity }) => !named.has(identity) && !others.has(identity));
    const missing = rest.filter(({ identity }) => (stored.get(identity) ?? -1) < upload.request.index);
    const count = rest.length - missing.length;
    const part = missing[0] && partOf(upload, missing[0]);
    return rest.length > 0 ? [{ upload, rest: rest.length, count, part }] : [];
  });
}

const sendTheRest: Rule = (recording) =>
  findingOf(
    restsIn(recording).map(({ upload, rest, count, part }) => {
      const problem = `None of the ${rest} events that the 422 does not name arrives later.`;
      return faultIf(count === 0, upload.request, problem, part);
    }),
  );

const takeOutNamedFields: Rule = (recording) =>
  findingOf(
    restsIn(recording)
      .filter(({ count }) => count > 0)
      .map(({ upload, rest, count, part }) => {
        const problem = `Only ${count} of the ${rest} events that the 422 does not name arrive later.`;
        return faultIf(count < rest, upload.request, problem, part);
      }),
  );

const no422Twice: Rule = (recording) => {
  const uploads = uploadsOf(recording);
  const named = new Map<number, Upload>();
  const properties = namedPropertiesOf(uploads);
  return findingOf(
    uploads.flatMap((upload, at) => {
      const again = upload.events.find(({ identity }) => named.has(identity));
      const { index } = upload.request;
      const refused = properties.filter((property) => property.index < index);
      const isLast = at === uploads.length - 1;
      const names = [...namedEvents(upload)];
      for (const identity of names) named.set(identity, upload);
      const isSeen = !isLast && (names.length > 0 || properties.some((property) => property.index === index));
      const fault = again ? faultAtEvent(upload, again, named) : faultAtProperty(upload, refused);
      return fault ? [fault] : isSeen ? [null] : [];
    }),
  );
};

function faultAtEvent(upload: Upload, again: Upload['events'][number], named: Map<number, Upload>): Fault {
  const { index } = named.get(again.identity)!.request;
  const problem = `It brings an event that the 422 of request ${index} named.`;
  return { request: upload.request, problem, part: partOf(upload, again) };
}

/** Until its value changes. */
function faultAtProperty(
  { request, report: { user } }: Upload,
  refused: ReturnType<typeof namedPropertiesOf>,
): Fault | null {
  const sent = user.properties ?? [];
  const at = sent.findIndex(({ name, value }) =>
    refused.some((one) => one.name === name && one.value === value && one.userId === (user.id ?? null)),
  );
  const problem = `It brings the property ${sent[at]?.name} with the value that a 422 named.`;
  return faultIf(at >= 0, request, problem, { path: `user.properties[${at}]`, value: sent[at] });
}

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
        return faultIf(!appStartedBetween(upload.request, next!.request, recording), next!.request, problem);
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
