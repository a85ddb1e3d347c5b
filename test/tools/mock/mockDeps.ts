// Gives the service's handlers one application, campaigns from openapi.yaml and nonces in memory, without a database.
import type { Pool } from 'pg';
import type { components } from '../../../generated/openapi.ts';
import { type CampaignConfig, writtenCampaigns } from '../../../src/campaigns/campaignDirectory.ts';
import { composeDeps } from '../../../src/compose/composeDeps.ts';
import type { KeyRing } from '../../../src/config.ts';
import type { Deps } from '../../../src/deps.ts';
import { openDatabase } from '../../../src/platform/database/database.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import type { StoreBatch } from '../../../src/sessions/writer/groupCommit.ts';

export interface MockKey {
  public: string;
  secret: string;
}

export interface MockDepsOptions {
  key: MockKey;
  signatureRequired: boolean;
  /** The example of `GET /api/v1/campaigns`. */
  campaigns: components['schemas']['CampaignConfig'];
}

const applicationId = '00000000-0000-7000-8000-000000000004';
/** The service keeps a nonce as long: openapi.yaml, "Signature of a session request". */
const nonceMillis = 15 * 60_000;

/** Remembers the body of each nonce, as the service does in its database. */
class Nonces {
  readonly #bodies = new Map<string, { hash: Buffer; at: number }>();

  /** Whether the nonce came before with another body. */
  isReused({ nonce, bodyHash }: { nonce: string; bodyHash: Buffer }): boolean {
    const known = this.#bodies.get(nonce);
    return known !== undefined && known.at > Date.now() - nonceMillis && !known.hash.equals(bodyHash);
  }

  keep({ nonce, bodyHash }: { nonce: string; bodyHash: Buffer }): void {
    for (const [old, { at }] of this.#bodies) {
      if (at > Date.now() - nonceMillis) break;
      this.#bodies.delete(old);
    }
    this.#bodies.set(nonce, { hash: bodyHash, at: Date.now() });
  }
}

export function mockDeps({ key, signatureRequired, campaigns: { revision, campaigns } }: MockDepsOptions): Deps {
  const log = createLog('warn');
  const anyKeys: KeyRing = [Buffer.alloc(32, 1)];
  const config = {
    encryptionKeys: anyKeys,
    tokenKeys: anyKeys,
    signatureRequired,
    ingestQueueUploads: 512,
    signup: 'open' as const,
  };
  // Its pool is never used: it would connect at its first query, and there is none.
  const opened = openDatabase({ url: 'postgres://127.0.0.1:1/none', poolSize: 1, statementTimeoutMillis: 1, log });
  const database = { ...opened, pool: storesNothing };
  const nonces = new Nonces();
  const written = writtenCampaigns(campaigns.map((campaign) => ({ campaign, json: JSON.stringify(campaign) })));
  const running: CampaignConfig = { revision, ...written, from: 0, until: Infinity };
  const storeBatch: StoreBatch = async (uploads) => ({
    outcomes: uploads.map(({ nonce }) => {
      if (nonce && nonces.isReused(nonce)) return 'nonce_reused';
      if (nonce) nonces.keep(nonce);
      return 'stored';
    }),
    eventsInserted: 0,
  });
  return {
    ...composeDeps({ config, database, log, storeBatch }),
    applications: {
      peek: () => undefined,
      find: async (publicKey) => (publicKey === key.public ? { id: applicationId, key } : null),
    },
    keyUses: { note: () => undefined } as unknown as Deps['keyUses'],
    campaigns: {
      find: async () => running,
      findRevision: async () => running.revision,
      forget: () => undefined,
      stop: async () => undefined,
    },
    nonceTaken: async (nonce) => nonces.isReused(nonce),
    storeTransactions: async () => 0,
  };
}

/** For the handlers that send statements of their own. */
const storesNothing = { query: async () => ({ rows: [], rowCount: 0 }) } as unknown as Pool;
