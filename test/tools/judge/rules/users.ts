// The rules of docs/sdk/rules.md, "User and state".
import { seenStatus } from '../recording.ts';
import { faultIf, findingOf, type Fault, type Rule } from './rule.ts';
import { paramOf } from './sessions.ts';
import { uploadsOf, type Upload } from './uploads.ts';

const userOf = ({ report }: Upload): string | null => report.user.id ?? null;
const syncOf = ({ report }: Upload): number | null => report.user.lastSyncTS ?? null;

/** Uploads with another body than the upload before: a retry has the state of its first attempt. */
function freshUploads(uploads: Upload[]): Upload[] {
  return uploads.filter(
    ({ request }, index) => uploads.findIndex((other) => other.request.body === request.body) === index,
  );
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

const deltaNamesRemoved: Rule = (recording) =>
  findingOf(
    uploadsOf(recording).flatMap((upload) => {
      const { events, report, request } = upload;
      const changes = events.filter(({ event }) => event.name === 'CustomPropertyChanged').map(({ event }) => event);
      return changes.flatMap((removal, index): (Fault | null)[] => {
        const key = paramOf(removal, 'key');
        const again = changes.slice(index + 1).findLast((event) => paramOf(event, 'key') === key);
        const isRemoval = paramOf(removal, 'newValue') === undefined;
        if (!isRemoval || !again || paramOf(again, 'newValue') === undefined) return [];
        const isNamed = (report.user.properties ?? []).some(({ name }) => name === key);
        return [faultIf(!isNamed, request, `It reports the removal of ${String(key)}, without its present value.`)];
      });
    }),
  );

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
  return findingOf(
    uploads.flatMap((upload) => {
      const faults = upload.report.sessions.map((session) => {
        const user = users.has(session.id) ? users.get(session.id)! : userOf(upload);
        users.set(session.id, userOf(upload));
        const isOfBefore = upload.events.some(
          (one) => one.session === session && (one.event.type === 'custom' || seen.has(one.identity)),
        );
        const problem = `It brings an event of before the change of user. Session ${session.id} came with the user ${String(user)}.`;
        return faultIf(user !== userOf(upload) && isOfBefore, upload.request, problem);
      });
      for (const identity of upload.identities) seen.add(identity);
      return faults;
    }),
  );
};

export const userRules = {
  'whole-state-first': wholeStateFirst,
  'delta-from-last-200': deltaFromLast200,
  'delta-names-removed': deltaNamesRemoved,
  'whole-state-after-user-change': wholeStateAfterUserChange,
  'session-of-one-user': sessionOfOneUser,
};
