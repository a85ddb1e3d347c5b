// Applications by public key, remembered for half a second: every request needs one, and a deleted one must be gone within a second.
import { LRUCache } from 'lru-cache';
import type { KeyedApplication } from './applicationsStore.ts';

export interface ApplicationDirectory {
  /** Null when there is no such application; rejects when that could not be found out. */
  find(publicKey: string): Promise<KeyedApplication | null>;
}

const rememberedKeys = 10_000;
/** From the beginning of a look-up on: one that takes long tells of what may be long ago. */
const longestAgeMillis = 500;
const longestKey = 256;

interface LookUp {
  application: Promise<KeyedApplication | null>;
  since: number;
}

/** Requests that ask for one key share a look-up; a failed one is not remembered. */
export function createApplicationDirectory(
  lookUp: (publicKey: string) => Promise<KeyedApplication | null>,
): ApplicationDirectory {
  const lookUps = new LRUCache<string, LookUp>({ max: rememberedKeys });
  const begin = (publicKey: string, since: number): LookUp => {
    const begun = { application: lookUp(publicKey), since };
    lookUps.set(publicKey, begun);
    begun.application.catch(() => lookUps.peek(publicKey) === begun && lookUps.delete(publicKey));
    return begun;
  };
  return {
    async find(publicKey) {
      if (publicKey.length > longestKey) return null;
      const now = performance.now();
      const known = lookUps.get(publicKey);
      const { application } = known && now - known.since < longestAgeMillis ? known : begin(publicKey, now);
      return application;
    },
  };
}
