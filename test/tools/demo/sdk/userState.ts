// The app's user: identity, custom properties, and the delta of them that the next upload carries.
import { namedValues, type PropertyValue, type Session, type User } from './wire.ts';

export interface UserState {
  id: string | null;
  properties: Map<string, PropertyValue>;
  /** Names set since the last acknowledged upload. */
  changed: Set<string>;
  /** Unix seconds of the last upload that was answered 2xx; null until then. */
  lastSyncTS: number | null;
}

export function newUserState(): UserState {
  return { id: null, properties: new Map(), changed: new Set(), lastSyncTS: null };
}

/** Of one upload, by the contract. */
const mostProperties = 256;

/**
 * The whole set before the first acknowledged upload, afterwards what changed since the last one; what is more than an
 * upload may carry goes with the next ones, as changes.
 *
 * The server takes a property away when it stores the CustomPropertyChanged event without `newValue`. If the property
 * was set again meanwhile, and that value acknowledged in another upload, it would be lost with the older event: so an
 * upload names the current value of every property whose removal it reports.
 */
export function userReport(user: UserState, batch: Session[]): User {
  const { id, lastSyncTS } = user;
  const names = lastSyncTS === null ? user.properties.keys() : new Set([...removedIn(batch), ...user.changed]);
  const values = Object.fromEntries([...names].map((name) => [name, user.properties.get(name)]));
  return { id, lastSyncTS, properties: namedValues(values).slice(0, mostProperties) };
}

/** After a 2xx. A property that changed again while the upload was under way stays in the delta. */
export function acknowledgeUser(user: UserState, sent: User, syncedAt: number): void {
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
