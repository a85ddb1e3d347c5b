// POST /api/v1/tm/store: stores each transaction id once, with a job that looks it up, before the response.
import type { components } from '../../generated/openapi.ts';
import { deviceKey } from '../devices/deviceKey.ts';
import type { DeviceNodes } from '../devices/deviceNodes.ts';
import type { TransactionLimits } from '../platform/database/transaction.ts';
import type { EveryField } from '../platform/everyField.ts';
import { withinQuotas, type Quotas } from '../quotas/quotas.ts';
import { reportBytes } from './reportBytes.ts';
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

interface Needs {
  storeTransactions: (report: TransactionReport, limits: TransactionLimits) => Promise<number>;
  quotas: Quotas;
  nodes: Pick<DeviceNodes, 'during'>;
}

/** Resolves after COMMIT. Throws the database's error unchanged, and `unavailable` where a quota is used up. */
export async function reportStoreTransactions(
  { body: { device, transactions }, application }: ReportStoreTransactionsRequest,
  { storeTransactions, quotas, nodes }: Needs,
): Promise<{ body: Record<string, never> }> {
  const report = {
    applicationId: application.id,
    deviceKey: deviceKey(application.id, device.id),
    deviceId: device.id,
    externalId: device.external_id ?? null,
    // Sorted: two uploads with common ids then lock them in one order, and cannot deadlock.
    transactionIds: [...new Set(transactions.map(({ id }) => id))].sort(),
  };
  const { applicationId, transactionIds: ids } = report;
  const bytes = reportBytes({ transactions: ids, claims: ids }, report);
  const request = { applicationId, operation: 'reportStoreTransactions', deviceKey: report.deviceKey, bytes } as const;
  await nodes.during(report.deviceKey, (limits) =>
    withinQuotas(quotas, request, () => storeTransactions(report, limits)),
  );
  return { body: {} };
}
