// The operation list: one line for each operationId of openapi.yaml; an operation without a line does not compile.
import { getCampaigns } from '../campaigns/getCampaigns.ts';
import type { Deps } from '../deps.ts';
import { reportAttribution } from '../attribution/reportAttribution.ts';
import { reportSessions } from '../sessions/reportSessions.ts';
import type { OperationHandlers } from './operationTypes.ts';
import { notImplemented } from './unwritten.ts';

export const operations = {
  reportSessions,
  reportAttribution,
  reportStoreTransactions: notImplemented('reportStoreTransactions'),
  getCampaigns,
} satisfies OperationHandlers<Deps>;
