// Secrets of API keys leave the service here alone: all that a level of an answer asks for are recorded in one statement first.
import DataLoader from 'dataloader';
import type { Pool } from 'pg';
import { auditAlone } from '../audit/audit.ts';
import type { Batch } from '../platform/batch.ts';
import type { Encryption } from '../platform/encryption.ts';
import type { SeenApiKey } from './caller.ts';

export interface SecretLoaders {
  /** Rejects when the reveal cannot be recorded. One line for a key, however often a request asks for it. */
  secretOfKey: Batch<SeenApiKey, string>;
}

export function createSecretLoaders(needs: { adminPool: Pool; encryption: Encryption }): SecretLoaders {
  const secretOfKey = new DataLoader<SeenApiKey, string, string>((keys) => reveal(keys, needs), {
    cacheKeyFn: ({ id, caller }) => `${caller.userId} ${id}`,
  });
  return { secretOfKey };
}

/** In the order of the keys; an error in the place of one that cannot be decrypted, which is no reveal. */
async function reveal(
  keys: readonly SeenApiKey[],
  { adminPool, encryption }: { adminPool: Pool; encryption: Encryption },
): Promise<(string | Error)[]> {
  const secrets = keys.map((key) => decrypted(key, encryption));
  const readable = keys.filter((_, index) => typeof secrets[index] === 'string');
  // Two callers at most: the bearer, and the user who logs in by the same request.
  for (const caller of new Map(readable.map((key) => [key.caller.userId, key.caller])).values()) {
    const own = readable.filter((key) => key.caller.userId === caller.userId);
    await auditAlone(adminPool, caller, ...own.map(revealOf));
  }
  return secrets;
}

function revealOf({ public: objectId, applicationId }: SeenApiKey) {
  return { action: 'apiKeyReveal', objectType: 'apiKey', objectId, details: { applicationId } } as const;
}

/** Here and not when the row is read, so that only a question for it brings a secret into memory. */
function decrypted({ id, secretEncrypted }: SeenApiKey, encryption: Encryption): string | Error {
  try {
    return encryption.decrypt(secretEncrypted, id);
  } catch (cause) {
    return new Error('the secret of an API key cannot be decrypted', { cause });
  }
}
