// API keys: their applications (cached for half a second: every request needs one, and a deleted one must be gone within a second), last uses and forms.
import { randomInt } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { prepared, type SqlConnection } from '../platform/database/sql.ts';
import type { AdminTransaction } from '../platform/database/transaction.ts';
import type { Encryption } from '../platform/encryption.ts';
import { newId } from '../platform/inputRules.ts';
import type { Log } from '../platform/observability/log.ts';
import type { ApiKeyRecord } from './workspace.ts';

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

// When each API key was last used: every request with a right key records it in memory, and one statement writes all keys.

export interface KeyUse {
  publicKey: string;
  at: Date;
}

export interface KeyUses {
  /** Only notes it in memory, and never fails. */
  note(use: KeyUse): void;
  /** Writes the noted uses and stops. Later uses are lost. */
  stop(): Promise<void>;
}

export interface KeyUsesOptions {
  save(uses: KeyUse[]): Promise<void>;
  log: Log;
  everyMillis?: number;
}

/** schema.graphql promises that `ApiKey.lastUsed` is accurate to a minute. It is so even when one write fails. */
const writeEveryMillis = 20_000;

export function createKeyUses({ save, log, everyMillis = writeEveryMillis }: KeyUsesOptions): KeyUses {
  let noted = new Map<string, Date>();
  let writing = Promise.resolve();
  const note = ({ publicKey, at }: KeyUse): void => {
    const known = noted.get(publicKey);
    if (!known || known < at) noted.set(publicKey, at);
  };
  async function write(): Promise<void> {
    if (noted.size === 0) return;
    const uses = [...noted].map(([publicKey, at]) => ({ publicKey, at }));
    noted = new Map();
    try {
      await save(uses);
    } catch (error) {
      uses.forEach(note);
      log.warn({ err: error }, 'the last uses of API keys could not be written');
    }
  }
  // One write after the other, so that the next write cannot overtake a slow one.
  const writeNext = (): Promise<void> => (writing = writing.then(write));
  const timer = setInterval(() => void writeNext(), everyMillis).unref();
  return {
    note,
    stop() {
      clearInterval(timer);
      return writeNext();
    },
  };
}

// The form of API keys: a prefix that secret scanners can grep for and 32 base62 characters (190 random bits).

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function newApiKey(): { public: string; secret: string } {
  return { public: `pub_${randomBase62(32)}`, secret: `sec_${randomBase62(32)}` };
}

function randomBase62(length: number): string {
  return Array.from({ length }, () => base62[randomInt(62)]).join('');
}

/** An application as the public API finds it: by one of its keys. */
export interface KeyedApplication {
  id: string;
  key: { public: string; secret: string };
}

/** SQL, because every upload needs it. Null when the key is unknown or revoked, or its application is deleted. */
export async function findApplicationByKey(
  connection: SqlConnection,
  encryption: Encryption,
  publicKey: string,
): Promise<KeyedApplication | null> {
  const statement = prepared('find_application_by_key')`/* workspace: findApplicationByKey */
    SELECT k.id, k.application_id, k.secret_encrypted
    FROM api_keys k JOIN applications a ON a.id = k.application_id
    WHERE k.public = ${publicKey} AND k.revoked_at IS NULL AND a.deleted_at IS NULL`;
  const { rows } = await connection.query<{ id: string; application_id: string; secret_encrypted: Buffer }>(statement);
  const key = rows[0];
  if (!key) return null;
  return {
    id: key.application_id,
    key: { public: publicKey, secret: encryption.decrypt(key.secret_encrypted, key.id) },
  };
}

/** SQL, because it locks. A use older than the stored one changes nothing. Locks rows in order of id, so that two processes cannot deadlock. */
export async function saveKeyUses(connection: SqlConnection, uses: KeyUse[]): Promise<void> {
  const keys = uses.map(({ publicKey }) => publicKey);
  const times = uses.map(({ at }) => at);
  await connection.query(prepared('save_key_uses')`/* workspace: saveKeyUses */
    WITH used AS MATERIALIZED (
      SELECT k.id, t.at FROM unnest(${keys}::text[], ${times}::timestamptz[]) AS t (public, at)
      JOIN api_keys k ON k.public = t.public ORDER BY k.id FOR NO KEY UPDATE OF k)
    UPDATE api_keys k SET last_used = greatest(k.last_used, used.at) FROM used WHERE k.id = used.id`);
}

interface NewApiKey {
  applicationId: string;
  key: { public: string; secret: string };
  label?: string | null;
  /** Absent for the key of the demo workspace. */
  createdBy?: string | null;
}

export async function insertApiKey(
  { prisma }: AdminTransaction,
  encryption: Encryption,
  { key, ...fields }: NewApiKey,
): Promise<ApiKeyRecord> {
  const id = newId();
  const secretEncrypted = encryption.encrypt(key.secret, id);
  const data = { id, public: key.public, secretEncrypted, ...fields };
  return prisma.apiKey.create({ data, omit: { secretEncrypted: true } });
}
