// Keeps the app's user and makes the delta for an upload: openapi.yaml, reportSessions, "Deltas of user properties".
// Another user begins with a state of their own: openapi.yaml, reportSessions, "Change of user".
import { namedValues, type PropertyValue, type Session, type SessionEvent, type User } from './wire.ts';

export interface UserState {
  /** Grows with each change of user. A session carries the number of its user. */
  number: number;
  id: string | null;
  properties: Map<string, PropertyValue>;
  /** The names that were set since the last acknowledged upload. */
  changed: Set<string>;
  /** `X-Timestamp` of the last upload with a 2xx, in Unix seconds; null before the first. */
  lastSyncTS: number | null;
  /** Properties that a 422 named, with the refused value. They are not sent again until the value changes. */
  refused: Map<string, PropertyValue>;
  /** The number of properties when the server refused the whole set as too long; null otherwise. */
  tooManyAt: number | null;
}

export interface Users {
  user: UserState;
  /** Users from before a change, oldest first, as long as sessions of theirs wait. */
  formerUsers: UserState[];
}

export function newUserState(): UserState {
  const nothing = { properties: new Map(), changed: new Set<string>(), lastSyncTS: null };
  return { number: 0, id: null, ...nothing, refused: new Map(), tooManyAt: null };
}

/** The most properties of one upload: openapi.yaml, "Limits". */
export const mostProperties = 256;

/**
 * Returns the whole set before the first acknowledged upload, and later the changes since the last one. Properties that
 * do not fit follow in the next uploads, as changes.
 *
 * The server removes a property when it stores the CustomPropertyChanged event without `newValue`. The device may have
 * set the property again, and another upload may have brought that value before. The older event would then remove the
 * newer value. So an upload names the current value of every property whose removal it reports.
 */
export function userReport(user: UserState, batch: Session[], most = mostProperties): User {
  const { id, lastSyncTS, properties, refused, tooManyAt } = user;
  // Without `properties` nothing is set. An empty list would clear the set.
  if (most === 0) return { id, lastSyncTS };
  // Too long a set is sent only after the app has removed some properties.
  if (tooManyAt !== null && properties.size >= tooManyAt) return { id, lastSyncTS };
  const names = lastSyncTS === null ? properties.keys() : new Set([...removedIn(batch), ...user.changed]);
  const sendable = [...names].filter((name) => !refused.has(name) || refused.get(name) !== properties.get(name));
  const values = Object.fromEntries(sendable.map((name) => [name, properties.get(name)]));
  return { id, lastSyncTS, properties: namedValues(values).slice(0, most) };
}

/** A login keeps the properties. A logout and a change forget them, so that nobody has those of another user. */
export function changeUser(users: Users, id: string | null): void {
  const former = users.user;
  users.formerUsers.push(former);
  const properties = former.id === null ? new Map(former.properties) : new Map<string, PropertyValue>();
  users.user = { ...newUserState(), number: former.number + 1, id, properties };
  loseTrack(users.user);
}

/** The next upload brings the whole set. What does not fit into it follows as a delta. */
export function loseTrack(user: UserState): void {
  user.lastSyncTS = null;
  user.changed = new Set(user.properties.keys());
}

/** Call it after a 2xx. A property that changed again during the upload stays in the delta. */
export function acknowledgeUser(user: UserState, sent: User, syncedAt: number): void {
  // A whole set that is still to come begins no delta.
  if (sent.properties !== undefined || user.lastSyncTS !== null) user.lastSyncTS = syncedAt;
  if (sent.properties === undefined) return;
  user.tooManyAt = null;
  for (const { name, value } of sent.properties) {
    if (user.properties.get(name) === value) user.changed.delete(name);
  }
}

function removedIn(batch: Session[]): string[] {
  const names: string[] = [];
  for (const event of batch.flatMap(({ events }) => events ?? [])) {
    const key = event.params.find((param) => param.name === 'key')?.value;
    if (isRemoval(event) && typeof key === 'string') names.push(key);
  }
  return names;
}

/** Only this event tells the server that a property is gone. */
export function isRemoval({ name, params }: Pick<SessionEvent, 'name' | 'params'>): boolean {
  return name === 'CustomPropertyChanged' && !params.some((param) => param.name === 'newValue');
}
