// Store credentials: the rules for them in an input, and their row, in which the private key is encrypted.
import { createPrivateKey } from 'node:crypto';
import { prepared, sql, type SqlConnection } from '../platform/database/sql.ts';
import type { AdminTransaction } from '../platform/database/transaction.ts';
import type { Encryption } from '../platform/encryption.ts';
import { inputRules, readExactName, trimmed } from '../platform/inputRules.ts';
import { endPause } from './callSlotsStore.ts';
import type { StoreAccess } from './storeClient.ts';
import { addRetryOfPending } from './storeJobs.ts';

export interface StoreCredentialsInput {
  issuerId?: string | null;
  keyId?: string | null;
  privateKey?: string | null;
  bundleId?: string | null;
  storeAppId?: string | null;
}

export interface StoreCredentials {
  issuerId: string;
  keyId: string;
  /** PKCS#8 PEM of a P-256 key. */
  privateKey: string;
  /** Null means the application's own bundle id. */
  bundleId: string | null;
}

const required = ['issuerId', 'keyId', 'privateKey'] as const;
const identifiers = ['issuerId', 'keyId', 'bundleId'] as const;
const longestKey = 4_096;

/** Null clears the stored credentials. Throws `validation_failed` with paths such as `input.privateKey`, never with a value. */
export function readStoreCredentials(input: StoreCredentialsInput): StoreCredentials | null {
  const given = readGiven(input);
  const rules = inputRules();
  const storeAppId = readStoreAppId(input);
  if (storeAppId != null && !/^[1-9][0-9]{0,14}$/.test(storeAppId)) {
    rules.refuse('input.storeAppId', 'must be 1 to 15 decimal digits');
  }
  if (Object.values(given).every((value) => value === null)) {
    rules.assert();
    return null;
  }
  for (const name of required) {
    if (given[name] === null) rules.refuse(`input.${name}`, 'is required with the others');
  }
  for (const name of identifiers) {
    const text = given[name];
    if (text !== null) readExactName(rules, `input.${name}`, text);
  }
  if (given.privateKey !== null && !isSigningKey(given.privateKey)) {
    rules.refuse('input.privateKey', 'must be a P-256 private key in PKCS#8 PEM');
  }
  rules.assert();
  return given as StoreCredentials;
}

/** The store's number of the app. Absent leaves it as it is, and null clears it. `readStoreCredentials` has checked it. */
export function readStoreAppId({ storeAppId }: StoreCredentialsInput): string | null | undefined {
  return storeAppId == null ? storeAppId : trimmed(storeAppId);
}

/** An input of the number alone is not about the credentials. */
export function isNumberAlone({ storeAppId, ...credentials }: StoreCredentialsInput): boolean {
  return storeAppId !== undefined && Object.values(readGiven(credentials)).every((value) => value === null);
}

type Given = Record<keyof StoreCredentials, string | null>;

/** Users paste identifiers from the store's pages, so white space around them is removed. */
function readGiven({ issuerId, keyId, privateKey, bundleId }: StoreCredentialsInput): Given {
  const identifier = (text: string | null | undefined): string | null => (text == null ? null : trimmed(text));
  return {
    issuerId: identifier(issuerId),
    keyId: identifier(keyId),
    privateKey: privateKey ?? null,
    bundleId: identifier(bundleId),
  };
}

/** One PEM block and nothing else: OpenSSL would skip text around it, and that text must not be stored. */
const pem = /^\s*-----BEGIN PRIVATE KEY-----[A-Za-z0-9+/=\s]+-----END PRIVATE KEY-----\s*$/;

function isSigningKey(text: string): boolean {
  if (text.length > longestKey || !pem.test(text)) return false;
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(text);
    return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}

/**
 * SQL, because of the database's clock. Sets the credentials or, with null, clears them, in the caller's transaction. After its COMMIT a job looks the
 * waiting transactions up. New credentials also end a pause that the store asked for, and jobs make the look-ups that
 * the pause delayed. False when there was nothing to clear.
 */
export async function saveStoreCredentials(
  transaction: AdminTransaction,
  encryption: Encryption,
  { applicationId, credentials }: { applicationId: string; credentials: StoreCredentials | null },
): Promise<boolean> {
  if (!credentials)
    return (await transaction.prisma.storeCredentials.deleteMany({ where: { applicationId } })).count === 1;
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

interface FoundCredentials {
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
    SELECT c.issuer_id AS "issuerId", c.key_id AS "keyId", c.private_key_encrypted AS sealed,
      coalesce(c.bundle_id, a.bundle_id) AS "bundleId", a.store_app_id::float8 AS "appId", c.updated_at::text AS version
    FROM store_credentials c JOIN applications a ON a.id = c.application_id
    WHERE c.application_id = ${applicationId} AND a.deleted_at IS NULL`;
  type Row = Omit<StoreAccess, 'privateKey'> & { sealed: Buffer; version: string };
  const [row] = (await connection.query<Row>(statement)).rows;
  if (!row) return { version: null, access: null };
  const { version, sealed, ...access } = row;
  const privateKey = decrypted(encryption, sealed, applicationId);
  return { version, access: privateKey === null ? null : { ...access, privateKey } };
}

function decrypted(encryption: Encryption, sealed: Buffer, applicationId: string): string | null {
  try {
    return encryption.decrypt(sealed, applicationId);
  } catch {
    return null;
  }
}
