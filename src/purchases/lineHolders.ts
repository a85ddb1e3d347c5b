// Who owns a line and which devices hold it, from the uploads that brought it (pure): schema.graphql, "Owners".
import { isUuid } from '../platform/inputRules.ts';
import type { Ownership } from './storeClient.ts';

export type EntitlementPolicy = 'KEEP' | 'TRANSFER' | 'SHARE';

/** The uploads of one transaction of the line by one device under one external id. */
export interface Claim {
  deviceKey: string;
  deviceId: string;
  /** Empty for none. */
  externalId: string;
  /** Ascending. */
  arrivals: Date[];
  /** From when on an upload brings the transaction (`saveStatements`); null where the store has not said. */
  purchasedAt: Date | null;
}

export interface Owner {
  externalId: string;
  /** The device that first brought the line for the owner; null while none has. */
  deviceId: string | null;
}

export interface Holder {
  deviceKey: string;
  /** Empty for none. */
  externalId: string;
}

export interface LineFacts {
  claims: Claim[];
  accountToken: string | null;
  ownership: Ownership | null;
  policy: EntitlementPolicy;
  /** The external ids that the line's devices have named in uploads of any transactions. */
  named: Holder[];
}

export interface LineDecision {
  owner: Owner | null;
  /** In the order of device and external id. */
  holders: Holder[];
}

interface Brought extends Holder {
  deviceId: string;
  first: Date;
  last: Date;
}

/** The state depends on the uploads alone, in whatever order the store's responses come between them. */
export function decideLine({ claims, accountToken, ownership, policy, named }: LineFacts): LineDecision {
  const brought = claims.flatMap(counted).sort(byFirst);
  const withId = brought.filter(({ externalId }) => externalId !== '');
  const moves = policy === 'TRANSFER' && ownership !== 'FAMILY_SHARED';
  const owning = accountToken === null ? (moves ? latest(withId) : withId[0])?.externalId : accountToken;
  if (owning === undefined) return { owner: null, holders: holdersOf(brought) };
  const same = accountToken === null ? (id: string) => id === owning : (id: string) => isSame(id, owning);
  const own = withId.filter(({ externalId }) => same(externalId));
  const ownedFrom = accountToken === null ? own[0]!.first : null;
  const holds = ({ deviceKey, externalId, first }: Brought): boolean => {
    if (externalId !== '') return same(externalId) || policy === 'SHARE';
    const before = ownedFrom !== null && first < ownedFrom && !moves;
    return before || [...own, ...named].some((one) => one.deviceKey === deviceKey && same(one.externalId));
  };
  const owner = { externalId: own[0]?.externalId ?? owning, deviceId: own[0]?.deviceId ?? null };
  return { owner, holders: holdersOf(brought.filter(holds)) };
}

/** The id of the device that first brought the line, for whichever owner. */
export function firstDeviceOf(claims: Claim[]): string | null {
  return claims.flatMap(counted).sort(byFirst)[0]?.deviceId ?? null;
}

/** An upload before the purchase does not bring it. */
function counted({ arrivals, purchasedAt, ...claim }: Claim): Brought[] {
  const after = arrivals.filter((at) => purchasedAt === null || at >= purchasedAt);
  return after.length === 0 ? [] : [{ ...claim, first: after[0]!, last: after.at(-1)! }];
}

function byFirst(one: Brought, other: Brought): number {
  return one.first.getTime() - other.first.getTime() || compare(one, other);
}

function latest(claims: Brought[]): Brought | undefined {
  return [...claims].sort((one, other) => other.last.getTime() - one.last.getTime() || compare(one, other))[0];
}

function compare(one: Holder, other: Holder): number {
  const [a, b] = [keyOf(one), keyOf(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}

export const keyOf = ({ deviceKey, externalId }: Holder): string => `${deviceKey} ${externalId}`;

/** Several transactions of the line by one device are one holder. */
function holdersOf(brought: Brought[]): Holder[] {
  const holders = new Map(
    brought.map(({ deviceKey, externalId }) => [keyOf({ deviceKey, externalId }), { deviceKey, externalId }]),
  );
  return [...holders.values()].sort(compare);
}

/** UUIDs are compared without case. */
export function isSame(externalId: string, token: string): boolean {
  return externalId === token || (isUuid(token) && externalId.toLowerCase() === token.toLowerCase());
}
