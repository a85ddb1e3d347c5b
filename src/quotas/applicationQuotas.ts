// Application.ingestQuotas: what unsigned requests have used of the application's quotas in the present hour.
import type { IngestQuota } from '../../generated/graphql.ts';
import type { Pool } from 'pg';
import type { AnswerBudget } from '../platform/answerBudget.ts';
import { batchLists, type Batch } from '../platform/batch.ts';
import type { SeenApplication } from '../workspace/caller.ts';
import type { Quotas } from './quotas.ts';
import { findHours, type HourOfQuota } from './quotasStore.ts';

export interface QuotaLoaders {
  quotaHoursOfApplication: Batch<string, HourOfQuota[]>;
}

export function createQuotaLoaders(adminPool: Pool, budget: AnswerBudget): QuotaLoaders {
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
    { id }: SeenApplication,
    _args: unknown,
    { loaders, quotas }: { loaders: QuotaLoaders; quotas: Pick<Quotas, 'quota'> },
  ): Promise<IngestQuota[]> {
    const hours = await loaders.quotaHoursOfApplication.load(id);
    const { bytes: bytesPerHour, devices: newDevicesPerHour } = quotas.quota;
    return hours.map(({ applicationId: _id, ...hour }) => ({ ...hour, bytesPerHour, newDevicesPerHour }));
  },
};
