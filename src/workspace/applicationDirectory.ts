// Applications by public key, cached for half a second: every request needs one, and a deleted one must be gone within a second.
import { LRUCache } from 'lru-cache';
import type { KeyedApplication } from './applicationsStore.ts';

export interface ApplicationDirectory {
  /** Null when there is no such application. Rejects when the look-up fails. */
  find(publicKey: string): Promise<KeyedApplication | null>;
  /** The id of an application that was found for this key a moment ago, without a look-up. */
  peek(publicKey: string): string | undefined;
}

const rememberedKeys = 10_000;
/** Counted from the start of the look-up, because the result of a slow look-up may already be old. */
const longestAgeMillis = 500;
const longestKey = 256;

interface LookUp {
  application: Promise<KeyedApplication | null>;
  /** Once the look-up has found it. */
  id?: string;
  since: number;
}

/** Requests with the same key share a look-up. A failed look-up is not cached. */
export function createApplicationDirectory(
  lookUp: (publicKey: string) => Promise<KeyedApplication | null>,
): ApplicationDirectory {
  const lookUps = new LRUCache<string, LookUp>({ max: rememberedKeys });
  const begin = (publicKey: string, since: number): LookUp => {
    const begun: LookUp = { application: lookUp(publicKey), since };
    lookUps.set(publicKey, begun);
    begun.application.then(
      (found) => (begun.id = found?.id),
      () => lookUps.peek(publicKey) === begun && lookUps.delete(publicKey),
    );
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
    peek: (publicKey) => lookUps.peek(publicKey)?.id,
  };
}
