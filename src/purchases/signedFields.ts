// From the fields of the store's signed data, under their names on the wire, to this service's terms (pure).
import isoCountries from 'i18n-iso-countries';
import { isStorableText } from '../platform/inputRules.ts';
import type {
  Offer,
  OfferMode,
  ProductKind,
  RevocationReason,
  RevocationType,
  SignedRenewal,
  SignedTransaction,
} from './storeClient.ts';

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
