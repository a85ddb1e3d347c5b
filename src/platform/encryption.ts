// Encrypts secrets at rest: AES-256-GCM, bound to the row, so that a value copied to another row cannot be decrypted.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { raw, sql } from './database/sql.ts';

export interface Encryption {
  /** `rowId` is authenticated with the value. Decryption with another row id throws. */
  encrypt(text: string, rowId: string): Uint8Array<ArrayBuffer>;
  decrypt(sealed: Uint8Array, rowId: string): string;
  /** The first bytes of each value under the current key. A value that begins otherwise needs to be sealed again. */
  readonly currentPrefix: Buffer;
  /** The first bytes of values that the configured keys can open. */
  readonly prefixes: readonly Buffer[];
}

const versions = { withoutKeyId: 1, withKeyId: 2 };
const idLength = 8;
const ivLength = 12;
const tagLength = 16;

/**
 * Layout: 1 byte version (2), 8 bytes key id, 12 bytes IV, 16 bytes tag, then the ciphertext. The first nine bytes are
 * authenticated together with the row's id. Without the key id each key would have to be tried: version 1 has none, and is
 * only read. Each key has 32 bytes.
 */
export function createEncryption(current: Buffer, ...older: Buffer[]): Encryption {
  const keys = [current, ...older].map((key) => ({ key, id: keyIdOf(key, 'encryption key id') }));
  const prefixes = keys.map(({ id }) => Buffer.concat([Buffer.of(versions.withKeyId), id]));
  const currentPrefix = prefixes[0]!;
  return {
    currentPrefix,
    prefixes: [...prefixes, Buffer.of(versions.withoutKeyId)],
    encrypt(text, rowId) {
      const iv = randomBytes(ivLength);
      const cipher = createCipheriv('aes-256-gcm', current, iv).setAAD(boundTo(currentPrefix, rowId));
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Uint8Array.from(Buffer.concat([currentPrefix, iv, cipher.getAuthTag(), ciphertext]));
    },
    decrypt(sealed, rowId) {
      if (sealed[0] === versions.withoutKeyId) return openWithAny(keys, sealed.subarray(1), Buffer.from(rowId));
      if (sealed[0] !== versions.withKeyId) {
        throw new Error(`an encrypted value has the unknown version ${sealed[0]}`);
      }
      const prefix = sealed.subarray(0, 1 + idLength);
      const named = keys.find(({ id }) => id.equals(prefix.subarray(1)));
      if (!named) throw new Error('an encrypted value is sealed under a key that is not in ENCRYPTION_KEY');
      return open(named.key, sealed.subarray(prefix.length), boundTo(prefix, rowId));
    },
  };
}

function boundTo(prefix: Uint8Array, rowId: string): Buffer {
  return Buffer.concat([prefix, Buffer.from(rowId)]);
}

function open(key: Buffer, body: Uint8Array, boundData: Buffer): string {
  const iv = body.subarray(0, ivLength);
  const tag = body.subarray(ivLength, ivLength + tagLength);
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagLength })
    .setAAD(boundData)
    .setAuthTag(tag);
  return Buffer.concat([decipher.update(body.subarray(ivLength + tagLength)), decipher.final()]).toString('utf8');
}

/** Throws the error of the last key that was tried. */
function openWithAny(keys: { key: Buffer }[], body: Uint8Array, boundData: Buffer): string {
  const [first, ...others] = keys;
  try {
    return open(first!.key, body, boundData);
  } catch (error) {
    if (others.length === 0) throw error;
    return openWithAny(others, body, boundData);
  }
}

// Makes the id of a secret key, which signed and sealed values carry. The id does not reveal the key.

/** The first 8 bytes of a hash. `purpose` gives one key different ids for different purposes. */
export function keyIdOf(key: Buffer, purpose: string): Buffer {
  return createHash('sha256').update(`${purpose}\n`).update(key).digest().subarray(0, 8);
}

// Seals the secrets of a column again under the current key, while the service reads and writes it. A second run continues.

/** A column of sealed texts, each bound to its row's id. The names become SQL: they are constants, never input. */
export interface SealedColumn {
  table: string;
  id: string;
  column: string;
}

export interface Reencrypted {
  reencrypted: number;
  /** Values under a key that is not configured, or damaged ones. They stay unchanged. */
  unreadable: number;
}

interface SealedRow {
  id: string;
  sealed: Buffer;
}

const batchRows = 500;
const beforeAll = '00000000-0000-0000-0000-000000000000';

export async function reencryptColumn(pool: Pool, encryption: Encryption, sealed: SealedColumn): Promise<Reencrypted> {
  const total: Reencrypted = { reencrypted: 0, unreadable: 0 };
  for (let after = beforeAll; ;) {
    const rows = await readBatch(pool, sealed, { prefix: encryption.currentPrefix, after });
    for (const row of rows) {
      const outcome = await reencryptRow(pool, encryption, { ...sealed, row });
      if (outcome !== null) total[outcome] += 1;
    }
    const last = rows.at(-1);
    if (!last) return total;
    after = last.id;
  }
}

/** Counts the values that the configured keys open. A column without values counts as open. */
export async function decryptability(
  pool: Pool,
  { prefixes }: Encryption,
  { table, column }: Pick<SealedColumn, 'table' | 'column'>,
): Promise<'all' | 'some' | 'none'> {
  const [from, sealed] = [raw(table), raw(column)];
  const opening = sql`EXISTS (SELECT FROM unnest(${prefixes}::bytea[]) AS p WHERE substr(${sealed}, 1, length(p)) = p)`;
  const statement = sql`/* platform: decryptability */
    SELECT EXISTS (SELECT FROM ${from} WHERE ${sealed} <> '' AND ${opening}) AS opens,
      EXISTS (SELECT FROM ${from} WHERE ${sealed} <> '' AND NOT ${opening}) AS remains`;
  const { rows } = await pool.query<{ opens: boolean; remains: boolean }>(statement);
  const { opens, remains } = rows[0]!;
  if (!remains) return 'all';
  return opens ? 'some' : 'none';
}

/** An empty value is an erased secret. */
async function readBatch(
  pool: Pool,
  { table, id, column }: SealedColumn,
  { prefix, after }: { prefix: Buffer; after: string },
): Promise<SealedRow[]> {
  const [key, value] = [raw(id), raw(column)];
  const statement = sql`/* platform: reencryptColumn */ SELECT ${key} AS id, ${value} AS sealed FROM ${raw(table)}
    WHERE ${key} > ${after} AND ${value} <> '' AND substr(${value}, 1, length(${prefix}::bytea)) <> ${prefix}
    ORDER BY ${key} LIMIT ${batchRows}`;
  const { rows } = await pool.query<SealedRow>(statement);
  return rows;
}

/** Null when the value has changed meanwhile. */
async function reencryptRow(
  pool: Pool,
  encryption: Encryption,
  { table, id, column, row }: SealedColumn & { row: SealedRow },
): Promise<keyof Reencrypted | null> {
  let text: string;
  try {
    text = encryption.decrypt(row.sealed, row.id);
  } catch {
    return 'unreadable';
  }
  const value = raw(column);
  const { rowCount } = await pool.query(sql`/* platform: reencryptColumn */
    UPDATE ${raw(table)} SET ${value} = ${Buffer.from(encryption.encrypt(text, row.id))}
    WHERE ${raw(id)} = ${row.id} AND ${value} = ${row.sealed}`);
  return rowCount === 1 ? 'reencrypted' : null;
}
