// Which states a device may have after its uploads, by the rule of openapi.yaml, "User and device state", and by what a client can know.
import type { SessionReport } from '../../support/uploads.ts';
import { differences } from './differences.ts';

/** A state, as `stateOf` writes it, signed under one nonce: the service stores it once, however many copies arrive. Milliseconds. */
interface SignedState {
  state: string;
  /** The end of the second in X-Timestamp. */
  signedUntil: number;
  /** Before the first byte of the first copy. */
  sentAt: number;
  /** After the first 200. Infinity until then: a copy may be stored at any time, or never. */
  acknowledgedAt: number;
}

/**
 * The time of an upload is the earlier of the end of its second and of its arrival. A client does not see arrivals. It knows
 * that the arrival is between the first request and the first 200. So more than one state may hold where uploads of a device
 * were under way together, or where one without a response was sent again after a later one. An upload that begins after the
 * 200 of the one before always replaces it.
 */
export class DeviceStates {
  readonly #byDevice = new Map<string, Map<string, SignedState>>();

  /** Called before the first byte of each copy. */
  sent({ user, device }: SessionReport, { timestamp, nonce }: { timestamp: number; nonce: string }): void {
    const own = this.#byDevice.get(device.id) ?? new Map<string, SignedState>();
    this.#byDevice.set(device.id, own);
    if (own.has(nonce)) return;
    const signedUntil = (timestamp + 1) * 1_000;
    own.set(nonce, { state: stateOf(user), signedUntil, sentAt: Date.now(), acknowledgedAt: Infinity });
  }

  /** Called after the last byte of each 200. */
  acknowledged(device: string, nonce: string): void {
    const signed = this.#byDevice.get(device)!.get(nonce)!;
    signed.acknowledgedAt = Math.min(signed.acknowledgedAt, Date.now());
  }

  problems(stored: Map<string, { userId: string | null; uploads: unknown }>): string[] {
    const found = new Map([...stored].map(([id, { userId, uploads }]) => [id, `${userId} ${String(uploads)}`]));
    const possible = new Map([...this.#byDevice].map(([id, own]) => [id, possibleStates([...own.values()])]));
    const right = (id: string): unknown => {
      const states = possible.get(id) ?? new Set();
      return states.has(found.get(id)) ? found.get(id) : [...states].join(' or ');
    };
    return differences('device', new Map([...found.keys(), ...possible.keys()].map((id) => [id, right(id)])), found);
  }
}

/** `undefined` where nothing of the device may be stored. */
function possibleStates(signed: SignedState[]): Set<string | undefined> {
  const left = signed.filter((state) => !signed.some((other) => other !== state && surelyReplaces(other, state)));
  const states = new Set<string | undefined>(left.map(({ state }) => state));
  return signed.some(({ acknowledgedAt }) => acknowledgedAt < Infinity) ? states : states.add(undefined);
}

/** Of equal times the later arrival holds. */
function surelyReplaces(one: SignedState, other: SignedState): boolean {
  if (one.acknowledgedAt === Infinity) return false;
  const earliest = Math.min(one.signedUntil, one.sentAt);
  const latest = Math.min(other.signedUntil, other.acknowledgedAt);
  return earliest > latest || (earliest === latest && one.sentAt >= other.acknowledgedAt);
}

function stateOf(user: SessionReport['user']): string {
  const uploads = user.properties?.find(({ name }) => name === 'uploads')?.value;
  return `${user.id ?? null} ${String(uploads ?? null)}`;
}
