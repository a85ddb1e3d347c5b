// The only place where secrets of API keys enter a response: one statement first records all that a level of the response selects.
import DataLoader from 'dataloader';
import type { Pool } from 'pg';
import { auditAlone } from '../audit/audit.ts';
import type { Batch } from '../platform/batch.ts';
import type { Encryption } from '../platform/encryption.ts';
import type { Caller, SeenApiKey } from './caller.ts';
import { findSealedSecrets } from './keySecretsStore.ts';

export interface SecretLoaders {
  /**
   * Rejects when the reveal cannot be recorded, also because the caller has made the service store too much
   * (`rate_limited`). Writes one line for a key, even when a request selects it several times.
   */
  secretOfKey: Batch<SeenApiKey, string>;
}

interface Needs {
  adminPool: Pool;
  encryption: Encryption;
  /** Throws `rate_limited`. */
  storing(caller: Caller, bytes: number): Promise<unknown>;
}

/** A line of the audit log with its index entries. */
const lineBytes = 1_024;

export function createSecretLoaders(needs: Needs): SecretLoaders {
  const secretOfKey = new DataLoader<SeenApiKey, string, string>((keys) => reveal(keys, needs), {
    cacheKeyFn: ({ id, caller }) => `${caller.userId} ${id}`,
  });
  return { secretOfKey };
}

/** In the order of the keys. A key that cannot be decrypted has an error in its place, and no line in the audit log. */
async function reveal(
  keys: readonly SeenApiKey[],
  { adminPool, encryption, storing }: Needs,
): Promise<(string | Error)[]> {
  const sealed = await findSealedSecrets(
    adminPool,
    keys.map(({ id }) => id),
  );
  const secrets = keys.map(({ id }) => decrypted(id, sealed.get(id), encryption));
  const readable = keys.filter((_, index) => typeof secrets[index] === 'string' && secrets[index] !== '');
  // Two callers at most: the bearer, and the user who logs in with the same request.
  for (const caller of new Map(readable.map((key) => [key.caller.userId, key.caller])).values()) {
    const own = readable.filter((key) => key.caller.userId === caller.userId);
    await storing(caller, own.length * lineBytes);
    await auditAlone(adminPool, caller, ...own.map(revealOf));
  }
  return secrets;
}

function revealOf({ public: objectId, applicationId }: SeenApiKey) {
  return { action: 'apiKeyReveal', objectType: 'apiKey', objectId, details: { applicationId } } as const;
}

/** `''` for a key that was revoked meanwhile, or whose row is gone: there is no secret to read. */
function decrypted(id: string, sealed: Buffer | undefined, encryption: Encryption): string | Error {
  if (!sealed || sealed.length === 0) return '';
  try {
    return encryption.decrypt(sealed, id);
  } catch (cause) {
    return new Error('the secret of an API key cannot be decrypted', { cause });
  }
}
