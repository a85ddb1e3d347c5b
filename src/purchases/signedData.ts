// Verifies what the store signed, by the vendor's library: certificate chain, bundle id and environment.
import {
  type Data,
  Environment,
  NotificationTypeV2,
  SignedDataVerifier,
  Status,
  VerificationException,
  VerificationStatus,
} from '@apple/app-store-server-library';
import isoCountries from 'i18n-iso-countries';
import { isStorableText, isUuid } from '../platform/inputRules.ts';
import type {
  Offer,
  OfferMode,
  ProductKind,
  RevocationReason,
  RevocationType,
  SignedRenewal,
  SignedTransaction,
  StoreResponse,
  StoreApp,
  StoreEnvironment,
  StoreFailure,
  StoreNotification,
  SubscriptionStatus,
} from './storeClient.ts';

// No other environment exists here: for its local environments the library skips every check.
export const environments = { PRODUCTION: Environment.PRODUCTION, SANDBOX: Environment.SANDBOX } as const;
const reasons: Partial<Record<VerificationStatus, string>> = {
  [VerificationStatus.INVALID_APP_IDENTIFIER]: 'wrong_bundle',
  [VerificationStatus.INVALID_ENVIRONMENT]: 'wrong_environment',
  [VerificationStatus.INVALID_CHAIN_LENGTH]: 'invalid_certificate',
  [VerificationStatus.INVALID_CERTIFICATE]: 'invalid_certificate',
};

const notificationTypes: readonly string[] = Object.values(NotificationTypeV2);

/** The kind as the label of a metric, which has few values: `other` for one that the library does not know. */
export function knownType(type: string): string {
  return notificationTypes.includes(type) ? type : 'other';
}

export class Failure extends Error {
  readonly failure: StoreFailure;
  constructor(failure: StoreFailure) {
    super(failure.kind);
    this.failure = failure;
  }
}

const unverified = (reason: string): Failure => new Failure({ kind: 'unverified', reason });
export const wrongTransaction = (): Failure => unverified('wrong_transaction');

export async function responseOf<Value>(call: () => Promise<Value>): Promise<StoreResponse<Value>> {
  try {
    return { value: await call() };
  } catch (error) {
    if (error instanceof Failure) return { failure: error.failure };
    if (error instanceof VerificationException) {
      return { failure: { kind: 'unverified', reason: reasons[error.status] ?? 'not_verified' } };
    }
    return { failure: { kind: 'unreachable', detail: detailOf(error) } };
  }
}

/** `fetch` gives the reason as the code of its cause: `ENOTFOUND`, `CERT_HAS_EXPIRED`. */
function detailOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = (error.cause as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : error.name;
}

/** DER. Signed data is trusted when its chain ends in one of these. */
export type RootCertificates = Buffer[];

export function verifierFor(
  roots: RootCertificates,
  environment: StoreEnvironment,
  { bundleId, appId }: StoreApp,
): SignedDataVerifier {
  // Offline verification: chain and signature at the time of signing. Transactions name no number of an app.
  return new SignedDataVerifier(roots, false, environments[environment], bundleId, appId ?? 0);
}

type Told = Pick<Data, 'status' | 'signedTransactionInfo' | 'signedRenewalInfo'>;

export async function verifiedStatus(
  verifier: SignedDataVerifier,
  line: { lineId: string } & Told,
): Promise<SubscriptionStatus> {
  const latest = await verifiedTransaction(verifier, line.signedTransactionInfo);
  if (latest.originalTransactionId !== line.lineId) throw wrongTransaction();
  if (line.signedRenewalInfo === undefined) return { latest, renewal: null };
  const { signedRenewalInfo: signed, status } = line;
  return { latest, renewal: await verifiedRenewal(verifier, { signed, status }, latest) };
}

async function verifiedRenewal(
  verifier: SignedDataVerifier,
  { signed, status }: { signed: string; status: Told['status'] },
  { originalTransactionId, signedAt }: SignedTransaction,
): Promise<SignedRenewal> {
  const fields: unknown = await verifier.verifyAndDecodeRenewalInfo(signed);
  const renewal = renewalOf(fields as RenewalFields, originalTransactionId, signedAt);
  if (!renewal) throw wrongTransaction();
  return { ...renewal, expired: renewal.expired === true || status === Status.EXPIRED };
}

export async function verifiedTransaction(
  verifier: SignedDataVerifier,
  signed: string | undefined,
): Promise<SignedTransaction> {
  if (signed === undefined) throw new Failure({ kind: 'unreachable', detail: 'the answer holds no transaction' });
  const fields: unknown = await verifier.verifyAndDecodeTransaction(signed);
  const transaction = transactionOf(fields as TransactionFields);
  if (typeof transaction === 'string') throw unverified(transaction);
  return transaction;
}

/** What does not verify fails with `unverified`. Any other failure is one of the service. */
export function verifyNotification(
  roots: RootCertificates,
  app: StoreApp,
  signedPayload: string,
): Promise<StoreResponse<StoreNotification>> {
  return responseOf(async () => {
    const claimed = claimedApp(signedPayload);
    if (!claimed) throw unverified('not_verified');
    const { environment } = claimed;
    const verifier = verifierFor(roots, environment, { ...app, appId: app.appId ?? claimed.appId });
    const fields = await verifier.verifyAndDecodeNotification(signedPayload);
    const { notificationUUID: id = '', data } = fields;
    const [type, subtype] = [text(fields.notificationType), text(fields.subtype)];
    const signedAt = date(fields.signedDate);
    if (!isUuid(id) || !type || !signedAt) throw unverified('incomplete_notification');
    const told = await contentOf(verifier, data ?? {});
    return { id: id.toLowerCase(), environment, type, subtype, signedAt, ...told };
  });
}

/** A transaction of a kind that this release does not know changes nothing. Refused, it would be sent again for days. */
async function contentOf(
  verifier: SignedDataVerifier,
  { status, signedTransactionInfo, signedRenewalInfo: signed }: Told,
): Promise<Pick<StoreNotification, 'transactions' | 'renewals'>> {
  if (signedTransactionInfo === undefined) return { transactions: [], renewals: [] };
  const fields: unknown = await verifier.verifyAndDecodeTransaction(signedTransactionInfo);
  const transaction = transactionOf(fields as TransactionFields);
  if (typeof transaction === 'string') return { transactions: [], renewals: [] };
  if (signed === undefined) return { transactions: [transaction], renewals: [] };
  return { transactions: [transaction], renewals: [await verifiedRenewal(verifier, { signed, status }, transaction)] };
}

// What a signed payload says of itself before it is verified (pure): the environment and the app's number. Bounds the verification.

export interface ClaimedApp {
  environment: StoreEnvironment;
  appId: number | null;
}

/** The store's certificates take 1 to 2 kB each in base64. Parsing one takes time that grows with its length. */
const longestCertificate = 8_192;
const contentFields = ['data', 'summary', 'externalPurchaseToken', 'appData'] as const;

type Json = Record<string, unknown>;

/**
 * Null for text that the store cannot have signed: not three parts, another algorithm, not three certificates of a
 * certificate's length, or no JSON objects. It costs two parsings of JSON, and no cryptography.
 */
export function claimedApp(signedPayload: string): ClaimedApp | null {
  const parts = signedPayload.split('.', 4);
  if (parts.length !== 3) return null;
  const [header, payload] = parts.slice(0, 2).map(readPart);
  if (!header || !payload || !isStoreHeader(header)) return null;
  const name = contentFields.find((field) => payload[field]);
  const content = (name === undefined ? undefined : payload[name]) as Json | undefined;
  const appId = content?.['appAppleId'];
  return {
    environment: isSandbox(name, content) ? 'SANDBOX' : 'PRODUCTION',
    appId: typeof appId === 'number' ? appId : null,
  };
}

function readPart(part: string): Json | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}

function isStoreHeader({ alg, x5c }: Json): boolean {
  if (alg !== 'ES256' || !Array.isArray(x5c) || x5c.length !== 3) return false;
  return x5c.every((one) => typeof one === 'string' && one.length <= longestCertificate);
}

/** An external purchase names no environment: its id tells. */
function isSandbox(name: string | undefined, content: Json | undefined): boolean {
  if (name !== 'externalPurchaseToken') return content?.['environment'] === 'Sandbox';
  const id = content?.['externalPurchaseId'];
  return typeof id === 'string' && id.startsWith('SANDBOX');
}

// From the fields of the store's signed data, under their names on the wire, to this service's terms (pure).

/** The fields that are read. The signature is verified before; the form of the values is not. */
export interface TransactionFields {
  transactionId?: string;
  originalTransactionId?: string;
  productId?: string;
  type?: string;
  purchaseDate?: number;
  expiresDate?: number;
  revocationDate?: number;
  revocationReason?: number;
  revocationType?: string;
  revocationPercentage?: number;
  price?: number;
  currency?: string;
  quantity?: number;
  inAppOwnershipType?: string;
  offerType?: number;
  offerDiscountType?: string;
  storefront?: string;
  appAccountToken?: string;
  isUpgraded?: boolean;
  signedDate?: number;
}

export interface RenewalFields {
  originalTransactionId?: string;
  autoRenewStatus?: number;
  isInBillingRetryPeriod?: boolean;
  gracePeriodExpiresDate?: number;
  expirationIntent?: number;
  signedDate?: number;
}

/** A map: an object would also find `constructor`. */
const kinds = new Map<string, ProductKind>([
  ['Consumable', 'CONSUMABLE'],
  ['Non-Consumable', 'NON_CONSUMABLE'],
  ['Auto-Renewable Subscription', 'AUTO_RENEWABLE'],
  ['Non-Renewing Subscription', 'NON_RENEWING'],
]);
const offers: Record<number, Offer> = { 1: 'INTRODUCTORY', 2: 'PROMOTIONAL', 3: 'CODE', 4: 'WIN_BACK' };
const offerModes: OfferMode[] = ['FREE_TRIAL', 'PAY_AS_YOU_GO', 'PAY_UP_FRONT', 'ONE_TIME'];
const revocationReasons: Record<number, RevocationReason> = { 0: 'OTHER', 1: 'APP_ISSUE' };
const revocationTypes: RevocationType[] = ['REFUND_FULL', 'REFUND_PRORATED', 'FAMILY_REVOKE'];

/** A word says what is missing. A value that this release does not know counts as absent. */
export function transactionOf(
  fields: TransactionFields,
): SignedTransaction | 'unknown_kind' | 'incomplete_transaction' {
  const [transactionId, originalTransactionId] = [text(fields.transactionId), text(fields.originalTransactionId)];
  const [kind, productId] = [kinds.get(fields.type ?? ''), text(fields.productId)];
  const [purchasedAt, signedAt] = [date(fields.purchaseDate), date(fields.signedDate)];
  if (!kind) return 'unknown_kind';
  if (!transactionId || !originalTransactionId || !productId || !purchasedAt || !signedAt) {
    return 'incomplete_transaction';
  }
  return {
    ...{ transactionId, originalTransactionId, productId, kind, purchasedAt, signedAt },
    expiresAt: date(fields.expiresDate),
    ...revocationOf(fields),
    priceMilli: Number.isSafeInteger(fields.price) && fields.price! >= 0 ? fields.price! : null,
    currency: currencyOf(fields.currency),
    quantity:
      Number.isInteger(fields.quantity) && fields.quantity! > 0 && fields.quantity! < 2 ** 31 ? fields.quantity! : 1,
    ownership: fields.inAppOwnershipType === 'FAMILY_SHARED' ? 'FAMILY_SHARED' : 'PURCHASED',
    offer: offers[fields.offerType ?? 0] ?? 'NONE',
    offerMode: offerModes.find((known) => known === fields.offerDiscountType) ?? null,
    storefront: countryOf(fields.storefront),
    accountToken: text(fields.appAccountToken),
    upgraded: fields.isUpgraded === true,
  };
}

/** `revocationPercentage` is in thousandths of a percent. */
function revocationOf(fields: TransactionFields) {
  const { revocationReason: reason, revocationPercentage: percentage } = fields;
  return {
    revokedAt: date(fields.revocationDate),
    revocationReason: reason === undefined ? null : (revocationReasons[reason] ?? null),
    revocationType: revocationTypes.find((known) => known === fields.revocationType) ?? null,
    revocationPercent: Number.isFinite(percentage) ? percentage! / 1_000 : null,
  };
}

/**
 * Null for another line's. Without a date of its own it counts as signed with `signedBeside`. Only an ended line has a reason
 * why it expired.
 */
export function renewalOf(fields: RenewalFields, lineId: string, signedBeside: Date): SignedRenewal | null {
  if ((fields.originalTransactionId ?? lineId) !== lineId) return null;
  return {
    lineId,
    autoRenew: fields.autoRenewStatus === undefined ? null : Number(fields.autoRenewStatus) === 1,
    inBillingRetry: fields.isInBillingRetryPeriod === true,
    graceExpiresAt: date(fields.gracePeriodExpiresDate),
    expired: fields.expirationIntent !== undefined,
    signedAt: date(fields.signedDate) ?? signedBeside,
  };
}

/** Unix milliseconds. A value outside PostgreSQL's range of dates counts as absent. */
export function date(millis: number | undefined): Date | null {
  return millis !== undefined && millis >= 0 && millis < 253_402_300_800_000 ? new Date(millis) : null;
}

/** An id of openapi.yaml has so many characters, and an index of PostgreSQL holds no text of 8 kB. */
const longestText = 256;

/** Text that PostgreSQL does not store counts as absent: refused, its statement would be sent again for days. */
export function text(value: string | undefined): string | null {
  const isText = typeof value === 'string' && value !== '' && value.length <= longestText;
  return isText && isStorableText(value) ? value : null;
}

/** ISO 4217. */
function currencyOf(code: string | undefined): string | null {
  return typeof code === 'string' && /^[A-Z]{3}$/.test(code) ? code : null;
}

/** The store has one code of its own, for Kosovo. */
function countryOf(alpha3: string | undefined): string | null {
  if (alpha3 === 'XKS') return 'XK';
  const isCode = alpha3 !== undefined && /^[A-Z]{3}$/.test(alpha3);
  return (isCode && isoCountries.alpha3ToAlpha2(alpha3)) || null;
}
