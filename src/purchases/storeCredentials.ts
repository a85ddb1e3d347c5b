// The rules for store credentials as somebody enters them: all or none, and a key that can sign; pure.
import { createPrivateKey } from 'node:crypto';
import type { FieldError } from '../platform/errors.ts';

export interface StoreCredentialsInput {
  issuerId?: string | null;
  keyId?: string | null;
  privateKey?: string | null;
  bundleId?: string | null;
}

export interface StoreCredentials {
  issuerId: string;
  keyId: string;
  /** PKCS#8 PEM of a P-256 key. */
  privateKey: string;
  /** Null: the application's own. */
  bundleId: string | null;
}

const required = ['issuerId', 'keyId', 'privateKey'] as const;
const longestName = 256;
const longestKey = 4_096;

/** Null clears what is stored. Field errors have paths such as `input.privateKey` and never repeat a value. */
export function readStoreCredentials(
  input: StoreCredentialsInput,
): { credentials: StoreCredentials | null } | { fields: FieldError[] } {
  const given = { ...emptyInput, ...withoutUndefined(input) };
  if (Object.values(given).every((value) => value === null)) return { credentials: null };
  const fields = [
    ...required.filter((name) => given[name] === null).map((name) => fieldError(name, 'is required with the others')),
    ...nameErrors(given),
    ...(given.privateKey === null || isSigningKey(given.privateKey)
      ? []
      : [fieldError('privateKey', 'must be a P-256 private key in PKCS#8 PEM')]),
  ];
  return fields.length > 0 ? { fields } : { credentials: given as StoreCredentials };
}

const emptyInput: Record<keyof StoreCredentials, string | null> = {
  issuerId: null,
  keyId: null,
  privateKey: null,
  bundleId: null,
};

function withoutUndefined({
  issuerId,
  keyId,
  privateKey,
  bundleId,
}: StoreCredentialsInput): Partial<typeof emptyInput> {
  const named = Object.entries({ issuerId, keyId, privateKey, bundleId });
  return Object.fromEntries(named.filter(([, value]) => value !== undefined));
}

function nameErrors(given: typeof emptyInput): FieldError[] {
  return (['issuerId', 'keyId', 'bundleId'] as const)
    .filter((name) => given[name] !== null && !isName(given[name]))
    .map((name) => fieldError(name, `must be 1 to ${longestName} characters and not blank`));
}

function isName(text: string): boolean {
  const storable = text.isWellFormed() && !text.includes('\0');
  return storable && [...text].length <= longestName && /\P{White_Space}/u.test(text);
}

function isSigningKey(text: string): boolean {
  if (text.length > longestKey || !text.trimStart().startsWith('-----BEGIN PRIVATE KEY-----')) return false;
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(text);
    return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}

function fieldError(name: string, message: string): FieldError {
  return { path: `input.${name}`, message };
}
