// Keeps the app's user and makes the delta of custom properties for an upload: openapi.yaml, "User and device state".
import { namedValues, type PropertyValue, type Session, type User } from './wire.ts';

export interface UserState {
  id: string | null;
  properties: Map<string, PropertyValue>;
  /** The names that were set since the last acknowledged upload. */
  changed: Set<string>;
  /** `X-Timestamp` of the last upload with a 2xx, in Unix seconds; null before the first. */
  lastSyncTS: number | null;
}

export function newUserState(): UserState {
  return { id: null, properties: new Map(), changed: new Set(), lastSyncTS: null };
}

/** The most properties of one upload: openapi.yaml, "Limits". */
const mostProperties = 256;

/**
 * Returns the whole set before the first acknowledged upload, and later the changes since the last one. Properties that
 * do not fit follow in the next uploads, as changes.
 *
 * The server removes a property when it stores the CustomPropertyChanged event without `newValue`. The device may have
 * set the property again, and another upload may have brought that value before. The older event would then remove the
 * newer value. So an upload names the current value of every property whose removal it reports.
 */
export function userReport(user: UserState, batch: Session[]): User {
  const { id, lastSyncTS } = user;
  const names = lastSyncTS === null ? user.properties.keys() : new Set([...removedIn(batch), ...user.changed]);
  const values = Object.fromEntries([...names].map((name) => [name, user.properties.get(name)]));
  return { id, lastSyncTS, properties: namedValues(values).slice(0, mostProperties) };
}

/** Another user begins with no properties on the server: the next upload brings the whole set. */
export function changeUser(user: UserState, id: string | null): void {
  if (id === user.id) return;
  user.id = id;
  user.lastSyncTS = null;
  // What does not fit into the first upload follows as a delta.
  user.changed = new Set(user.properties.keys());
}

/** Call it after a 2xx. A property that changed again during the upload stays in the delta. */
export function acknowledgeUser(user: UserState, sent: User, syncedAt: number): void {
  // The user changed during the upload.
  if ((sent.id ?? null) !== user.id) return;
  user.lastSyncTS = syncedAt;
  for (const { name, value } of sent.properties ?? []) {
    if (user.properties.get(name) === value) user.changed.delete(name);
  }
}

function removedIn(batch: Session[]): string[] {
  const names: string[] = [];
  for (const { name, params } of batch.flatMap(({ events }) => events ?? [])) {
    const key = params.find((param) => param.name === 'key')?.value;
    const removes = name === 'CustomPropertyChanged' && !params.some((param) => param.name === 'newValue');
    if (removes && typeof key === 'string') names.push(key);
  }
  return names;
}
