// Applications by public key, remembered for half a second: every request needs one, and a deleted one must be gone within a second.
import { LRUCache } from 'lru-cache';
import type { KeyedApplication } from './applicationsStore.ts';

export interface ApplicationDirectory {
  /** Null when there is no such application; rejects when that could not be found out. */
  find(publicKey: string): Promise<KeyedApplication | null>;
}

const remembered = { entries: 10_000, millis: 500 };
const longestKey = 256;

/** Requests that ask for one key at once share one look-up; a failed look-up is not remembered. */
export function createApplicationDirectory(
  lookUp: (publicKey: string) => Promise<KeyedApplication | null>,
): ApplicationDirectory {
  const cache = new LRUCache<string, { application: KeyedApplication | null }>({
    max: remembered.entries,
    ttl: remembered.millis,
    fetchMethod: async (publicKey) => ({ application: await lookUp(publicKey) }),
  });
  return {
    async find(publicKey) {
      if (publicKey.length > longestKey) return null;
      const entry = cache.get(publicKey) ?? (await cache.forceFetch(publicKey));
      return entry.application;
    },
  };
}
