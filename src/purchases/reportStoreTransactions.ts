// POST /api/v1/tm/store: stores each transaction id once, with a job that looks it up, before the response.
import type { components } from '../../generated/openapi.ts';
import { deviceKey } from '../devices/deviceKey.ts';
import type { EveryField } from '../platform/everyField.ts';
import type { TransactionReport } from './storeTransactionReport.ts';

type Schemas = components['schemas'];

export interface ReportStoreTransactionsRequest {
  /** Has passed the contract. */
  body: EveryField<Schemas['StoreTransactionReport'], Record<'device' | 'transactions', true>> & {
    device: EveryField<Schemas['DeviceReference'], Record<'id' | 'external_id', true>>;
    transactions: EveryField<Schemas['StoreTransaction'], Record<'id', true>>[];
  };
  application: { id: string };
}

/** Resolves after COMMIT. Throws the database's error unchanged. */
export async function reportStoreTransactions(
  { body: { device, transactions }, application }: ReportStoreTransactionsRequest,
  { storeTransactions }: { storeTransactions: (report: TransactionReport) => Promise<void> },
): Promise<{ body: Record<string, never> }> {
  await storeTransactions({
    applicationId: application.id,
    deviceKey: deviceKey(application.id, device.id),
    deviceId: device.id,
    externalId: device.external_id ?? null,
    // Sorted: two uploads with common ids then lock them in one order, and cannot deadlock.
    transactionIds: [...new Set(transactions.map(({ id }) => id))].sort(),
  });
  return { body: {} };
}
