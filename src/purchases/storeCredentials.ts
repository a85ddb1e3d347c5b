// The rules for store credentials in an input (pure): all fields or none, and a key that can sign.
import { createPrivateKey } from 'node:crypto';
import { inputRules, readExactName, trimmed } from '../platform/inputRules.ts';

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
