// Verifies what the store signed, by the vendor's library: certificate chain, bundle id and environment.
import {
  Environment,
  NotificationTypeV2,
  SignedDataVerifier,
  Status,
  VerificationException,
  VerificationStatus,
  type Data,
} from '@apple/app-store-server-library';
import { isUuid } from '../platform/uuid.ts';
import { claimedApp } from './claimedApp.ts';
import { date, renewalOf, text, transactionOf, type RenewalFields, type TransactionFields } from './signedFields.ts';
import type {
  SignedRenewal,
  SignedTransaction,
  StoreAnswer,
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

export async function answered<Value>(call: () => Promise<Value>): Promise<StoreAnswer<Value>> {
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
): Promise<StoreAnswer<StoreNotification>> {
  return answered(async () => {
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
