// The rules of docs/sdk/rules.md, "User and state".
import { fieldsOf, seenStatus } from '../recording.ts';
import { faultIf, findingOf, type Fault, type Rule } from './rule.ts';
import { paramOf } from './sessions.ts';
import { namedPropertiesOf } from './takenOut.ts';
import { partOf, uploadsOf, type Upload } from './uploads.ts';

const userOf = ({ report }: Upload): string | null => report.user.id ?? null;
const syncOf = ({ report }: Upload): number | null => report.user.lastSyncTS ?? null;

/** Uploads with another body than the upload before: a retry has the state of its first attempt. */
function freshUploads(uploads: Upload[]): Upload[] {
  const known = new Set<string>();
  return uploads.filter(({ request }) => known.size !== known.add(request.body).size);
}

const wholeStateFirst: Rule = (recording) => {
  const [first] = uploadsOf(recording);
  return findingOf(first ? [faultIf(syncOf(first) !== null, first.request, `lastSyncTS is ${syncOf(first)}.`)] : []);
};

/** Null is a whole set, which is never wrong: an SDK may send it whenever it has lost track. */
const deltaFromLast200: Rule = (recording) => {
  const uploads = uploadsOf(recording);
  return findingOf(
    freshUploads(uploads).flatMap((upload) => {
      const before = uploads.filter(({ request }) => request.endedAt <= upload.request.arrivedAt);
      const last = before.findLast(
        (one) => seenStatus(one.request) === 200 && one.request.index < upload.request.index,
      );
      if (!last || userOf(last) !== userOf(upload) || syncOf(upload) === null) return [];
      const problem = `lastSyncTS is ${syncOf(upload)}; the last upload with a 200 has X-Timestamp ${last.timestamp}.`;
      return [faultIf(syncOf(upload) !== last.timestamp, upload.request, problem)];
    }),
  );
};

/** A value that a 422 has named stays away: `no-422-twice`. */
const deltaNamesRemoved: Rule = (recording) => {
  const uploads = uploadsOf(recording);
  const refused = namedPropertiesOf(uploads);
  return findingOf(
    uploads.flatMap((upload) => {
      const { events, report, request } = upload;
      const changes = events.filter(({ event }) => event.name === 'CustomPropertyChanged');
      return changes.flatMap((removal, index): (Fault | null)[] => {
        const key = paramOf(removal.event, 'key');
        const again = changes.slice(index + 1).findLast(({ event }) => paramOf(event, 'key') === key);
        const isRemoval = paramOf(removal.event, 'newValue') === undefined;
        const value = again && paramOf(again.event, 'newValue');
        if (!isRemoval || value === undefined) return [];
        if (refused.some((one) => one.index < request.index && one.name === key && one.value === value)) return [];
        const isNamed = (report.user.properties ?? []).some(({ name }) => name === key);
        const problem = `It reports the removal of ${String(key)}, without its present value.`;
        return [faultIf(!isNamed, request, problem, partOf(upload, removal))];
      });
    }),
  );
};

const wholeStateAfterUserChange: Rule = (recording) => {
  const uploads = uploadsOf(recording);
  return findingOf(
    uploads.slice(1).flatMap((upload, index) => {
      const before = userOf(uploads[index]!);
      if (before === userOf(upload)) return [];
      const problem = `user.id changed, and lastSyncTS is ${syncOf(upload)} in place of null.`;
      return [faultIf(syncOf(upload) !== null, upload.request, problem)];
    }),
  );
};

/**
 * A session has the user of its first upload. An SDK that has flushed everything may go on with the open session. The
 * harness tracks before it changes the user, so an event that it tracked shows that something was not flushed.
 */
const sessionOfOneUser: Rule = (recording) => {
  const uploads = uploadsOf(recording);
  if (new Set(uploads.map(userOf)).size < 2) return findingOf([]);
  const users = new Map<string, string | null>();
  const seen = new Set<number>();
  // Without a user.id that a 422 named, the session goes on with no user.
  const isWithoutRefusedId = (upload: Upload): boolean =>
    userOf(upload) === null && refusedIds.some(({ index }) => index < upload.request.index);
  const refusedIds = uploads.map(({ request }) => request).filter((one) => fieldsOf(one).some(isUserId));
  return findingOf(
    uploads.flatMap((upload) => {
      const faults = upload.report.sessions.map((session) => {
        const user = users.has(session.id) ? users.get(session.id)! : userOf(upload);
        users.set(session.id, userOf(upload));
        const isOfBefore = upload.events.some(
          (one) => one.session === session && (one.event.type === 'custom' || seen.has(one.identity)),
        );
        const problem = `It brings an event of before the change of user. Session ${session.id} came with the user ${String(user)}.`;
        const isBroken = user !== userOf(upload) && isOfBefore && !isWithoutRefusedId(upload);
        return faultIf(isBroken, upload.request, problem);
      });
      for (const identity of upload.identities) seen.add(identity);
      return faults;
    }),
  );
};

const isUserId = ({ path }: { path: string }): boolean => path === 'user.id';

export const userRules = {
  'whole-state-first': wholeStateFirst,
  'delta-from-last-200': deltaFromLast200,
  'delta-names-removed': deltaNamesRemoved,
  'whole-state-after-user-change': wholeStateAfterUserChange,
  'session-of-one-user': sessionOfOneUser,
};
