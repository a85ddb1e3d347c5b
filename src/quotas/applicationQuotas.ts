// Application.ingestQuotas: what requests have used of the application's quotas in the present hour.
import type { IngestQuota } from '../../generated/graphql.ts';
import type { Pool } from 'pg';
import { type ResponseBudget, type Batch, batchLists } from '../platform/responseBudget.ts';
import type { ViewedApplication } from '../workspace/workspace.ts';
import { quotaOf, type Quotas, signedSessions } from './quotas.ts';
import { findHours, type HourOfQuota } from './quotasStore.ts';

export interface QuotaLoaders {
  quotaHoursOfApplication: Batch<string, HourOfQuota[]>;
}

export function createQuotaLoaders(adminPool: Pool, budget: ResponseBudget): QuotaLoaders {
  return {
    quotaHoursOfApplication: batchLists(
      budget,
      (ids, take) => findHours(adminPool, ids, take),
      ({ applicationId }) => applicationId,
    ),
  };
}

export const applicationQuotas = {
  async ingestQuotas(
    { id }: ViewedApplication,
    _args: unknown,
    { loaders, quotas }: { loaders: QuotaLoaders; quotas: Pick<Quotas, 'quota'> },
  ): Promise<IngestQuota[]> {
    const hours = await loaders.quotaHoursOfApplication.load(id);
    return hours.map(({ applicationId: _id, operation, ...hour }) => {
      const { bytes: bytesPerHour, devices: newDevicesPerHour } = quotaOf(operation, quotas.quota);
      const signed = operation === signedSessions;
      return { operation: signed ? 'reportSessions' : operation, signed, ...hour, bytesPerHour, newDevicesPerHour };
    });
  },
};
