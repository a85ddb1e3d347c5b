// The SQL of store credentials. The private key is stored encrypted, and only a look-up decrypts it.
import { prepared, sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { Encryption } from '../platform/encryption.ts';
import { endPause } from './callSlotsStore.ts';
import type { StoreAccess } from './storeClient.ts';
import type { StoreCredentials } from './storeCredentials.ts';
import { addRetryOfPending } from './storeJobs.ts';

/**
 * Sets the credentials or, with null, clears them, in the caller's transaction. After its COMMIT a job looks the
 * waiting transactions up. New credentials also end a pause that the store asked for, and jobs make the look-ups that
 * the pause delayed. False when there was nothing to clear.
 */
export async function saveStoreCredentials(
  transaction: Transaction,
  encryption: Encryption,
  { applicationId, credentials }: { applicationId: string; credentials: StoreCredentials | null },
): Promise<boolean> {
  if (!credentials) {
    const { rowCount } = await transaction.query(sql`/* purchases: saveStoreCredentials */
      DELETE FROM store_credentials WHERE application_id = ${applicationId}`);
    return rowCount === 1;
  }
  const { issuerId, keyId, privateKey, bundleId } = credentials;
  const sealed = Buffer.from(encryption.encrypt(privateKey, applicationId));
  await transaction.query(sql`/* purchases: saveStoreCredentials */
    INSERT INTO store_credentials (application_id, issuer_id, key_id, private_key_encrypted, bundle_id, updated_at)
    VALUES (${applicationId}, ${issuerId}, ${keyId}, ${sealed}, ${bundleId}, clock_timestamp())
    ON CONFLICT (application_id) DO UPDATE SET issuer_id = excluded.issuer_id, key_id = excluded.key_id,
      private_key_encrypted = excluded.private_key_encrypted, bundle_id = excluded.bundle_id,
      updated_at = excluded.updated_at`);
  const putOff = await endPause(transaction, applicationId);
  await addRetryOfPending(transaction, { applicationId, after: '', ...(putOff && { putOff }) });
  return true;
}

export async function saveStoreAppId(
  transaction: Transaction,
  { applicationId, storeAppId }: { applicationId: string; storeAppId: string | null },
): Promise<void> {
  await transaction.query(sql`/* purchases: saveStoreAppId */
    UPDATE applications SET store_app_id = ${storeAppId} WHERE id = ${applicationId}`);
}

export interface FoundCredentials {
  /** Identifies these credentials: another value after each change, null without credentials. */
  version: string | null;
  /** Null without credentials, or when this service's keys cannot decrypt them. */
  access: StoreAccess | null;
}

/** A deleted application has none. */
export async function findStoreCredentials(
  connection: SqlConnection,
  encryption: Encryption,
  applicationId: string,
): Promise<FoundCredentials> {
  const statement = prepared('find_store_credentials')`/* purchases: findStoreCredentials */
    SELECT c.issuer_id, c.key_id, c.private_key_encrypted, coalesce(c.bundle_id, a.bundle_id) AS bundle_id, a.store_app_id,
      c.updated_at::text AS version
    FROM store_credentials c JOIN applications a ON a.id = c.application_id
    WHERE c.application_id = ${applicationId} AND a.deleted_at IS NULL`;
  const { rows } = await connection.query<CredentialsRow>(statement);
  const row = rows[0];
  if (!row) return { version: null, access: null };
  const privateKey = decrypted(encryption, row.private_key_encrypted, applicationId);
  const app = { bundleId: row.bundle_id, appId: row.store_app_id === null ? null : Number(row.store_app_id) };
  const access = privateKey && { issuerId: row.issuer_id, keyId: row.key_id, privateKey, ...app };
  return { version: row.version, access: access || null };
}

interface CredentialsRow {
  issuer_id: string;
  key_id: string;
  private_key_encrypted: Buffer;
  bundle_id: string;
  store_app_id: string | null;
  version: string;
}

function decrypted(encryption: Encryption, sealed: Buffer, applicationId: string): string | null {
  try {
    return encryption.decrypt(sealed, applicationId);
  } catch {
    return null;
  }
}
